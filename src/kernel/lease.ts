import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Debouncer, Poll } from '@lumino/polling';
import { Signal } from '@lumino/signaling';

import { STALE_AFTER_POLLS } from '../memory/model';
import type { Reply } from '../protocol';
import type { Settings } from '../settings';
import type { HelperClient } from './client';

/** Poll interval of a displayed kernel at rest; pushing would count as activity. */
const POLL_MS = 5000;

/** Poll interval of other kernels, which report their cells unprompted. */
const RENEW_MS = 60_000;

/** Two polls without a reply take ten seconds. */
const POLL_TIMEOUT_MS = 2500;

/**
 * Delay after which a busy kernel whose helper has not reported a cell is asked for its
 * state.
 */
const SUSPECT_MS = 500;

/** With the delay above, two requests without a reply take three seconds. */
const PROBE_TIMEOUT_MS = 1250;

interface IOptions {
  readonly client: HelperClient;
  readonly settings: Settings;
  /** Whether a cell runs; readings then arrive without polling. */
  readonly isBusy: () => boolean;
  /** Called with each reply; `null`: there is no helper any more. */
  readonly onReply: (reply: Reply | null) => void;
  /**
   * Called when the kernel is displayed again, since not everything was sent meanwhile.
   */
  readonly onReturn: () => void;
  /** Called when a reply did not arrive. */
  readonly onSilence: () => void;
}

/**
 * Keeps this front end's lease with a helper while the page is visible.
 *
 * A displayed kernel is polled at rest, and its lease is renewed while it is busy.
 * Other kernels hold a longer lease, on which they report when a cell starts and ends.
 * A hidden page sends no requests.
 */
export class Lease {
  constructor(private readonly _options: IOptions) {
    _options.settings.changed.connect(this._renew, this);
    document.addEventListener('visibilitychange', this);
    this._poll = new Poll({
      auto: false,
      factory: () => this._beat(),
      frequency: { interval: POLL_MS, backoff: false, max: RENEW_MS },
      name: 'gpu-headroom:lease',
      standby: 'when-hidden'
    });
  }

  dispose(): void {
    document.removeEventListener('visibilitychange', this);
    Signal.clearData(this);
    this._suspicion.dispose();
    this._poll.dispose();
  }

  /**
   * Start keeping a lease. Its first reading may be old or missing, so a displayed
   * kernel is polled again at once.
   *
   * @param duration_s - how long the helper keeps the lease unless it is renewed
   */
  begin(duration_s: number): void {
    const { isLooking } = this._options.client;
    this._isHeld = true;
    this._wasLooking = isLooking;
    this._enter(duration_s);
    void (isLooking ? this._poll.start() : this._wait());
  }

  /** Drop the lease; the helper that granted it is gone. */
  end(): void {
    this._isHeld = false;
    void this._poll.stop();
  }

  /** Release the lease if the helper can be reached; leases expire in any case. */
  giveBack(): void {
    if (this._isHeld) {
      this._options.client.ask('detach', {}).catch(() => undefined);
      this.end();
    }
  }

  /** Poll now, so that freed memory shows at once. */
  refresh(): void {
    if (this._isHeld && this._options.client.isLooking) {
      void this._poll.refresh();
    }
  }

  /**
   * Record that the kernel reports itself busy or idle.
   *
   * A cell that holds the interpreter from its start keeps the helper from reporting
   * it; only missing replies reveal that.
   */
  suspect(isWorking: boolean): void {
    void (isWorking ? this._suspicion.invoke() : this._suspicion.stop());
  }

  /** Whether this front end shows the kernel. */
  set isShown(isShown: boolean) {
    const { client } = this._options;
    if (client.isShown !== isShown) {
      client.isShown = isShown;
      this._follow();
    }
  }

  /** Display the kernel and receive readings at the fast rate until disposed. */
  watch(): IDisposable {
    const watch = this._options.client.watch();
    this._follow(true);
    return new DisposableDelegate(() => {
      watch.dispose();
      this._follow(true);
    });
  }

  handleEvent(event: Event): void {
    if (event.type === 'visibilitychange') {
      this._follow();
      this._catchUp();
    }
  }

  /**
   * Notify the helper at once that the kernel is displayed or no longer displayed.
   *
   * @param isCloser - whether the rate or the display of readings changed
   */
  private _follow(isCloser = false): void {
    const { isLooking } = this._options.client;
    const wasLooking = this._wasLooking;
    this._wasLooking = isLooking;
    if (!this._isHeld || !(isLooking || wasLooking)) {
      return;
    }
    if (isLooking !== wasLooking || isCloser) {
      void this._attach();
    }
    if (isLooking && !wasLooking) {
      this._options.onReturn();
    }
  }

  /** Poll a kernel that is not displayed if its turn came while the page was hidden. */
  private _catchUp(): void {
    const age_ms = Date.now() - this._attachedAt;
    const isDue = age_ms >= this._interval();
    if (!this._isHeld || document.hidden || this._wasLooking || !isDue) {
      return;
    }
    void this._attach();
    if (age_ms >= this._durationMs) {
      this._options.onReturn();
    }
  }

  /** Renew now, since an argument of the lease has changed. */
  private _renew(): void {
    if (this._isHeld && !document.hidden) {
      void this._attach();
    }
  }

  /** Renew; the next poll is due a whole interval later. */
  private async _attach(): Promise<void> {
    await this._ask(() => this._options.client.attach());
    void this._wait();
  }

  /** Poll a whole interval from now. */
  private async _wait(): Promise<void> {
    if (this._isHeld) {
      this._pace();
      await this._poll.schedule({ phase: 'started' });
    }
  }

  private _pace(): void {
    const interval = this._interval();
    this._poll.frequency = { ...this._poll.frequency, interval };
  }

  /** Poll interval of the kernel, in milliseconds. */
  private _interval(): number {
    return this._options.client.isLooking
      ? Math.min(POLL_MS, this._durationMs / 3)
      : Math.min(RENEW_MS, (this._durationMs * 2) / 3);
  }

  /** Record a lease that the helper just granted. */
  private _enter(duration_s: number): void {
    this._attachedAt = Date.now();
    this._durationMs = duration_s * 1000;
    this._pace();
  }

  private async _beat(): Promise<void> {
    const { client, isBusy } = this._options;
    // Over the comm a poll would count as activity, and wait for the cell.
    if (!this._isHeld || document.hidden || !client.channel.isDirect) {
      return;
    }
    await this._ask(() =>
      client.isLooking && !isBusy()
        ? client.ask('sample', {}, POLL_TIMEOUT_MS)
        : client.attach()
    );
  }

  private async _probe(): Promise<void> {
    const { client, isBusy } = this._options;
    let isAnswered = false;
    for (let polls = 0; polls < STALE_AFTER_POLLS && !isAnswered; polls++) {
      const isWanted = this._isHeld && client.isLooking;
      if (!isWanted || !client.channel.isDirect || isBusy()) {
        return;
      }
      isAnswered = await this._ask(() =>
        client.ask('sample', {}, PROBE_TIMEOUT_MS)
      );
    }
  }

  /** Send a request; resolves to whether there was a reply. */
  private async _ask(question: () => Promise<Reply | null>): Promise<boolean> {
    const { onReply, onSilence } = this._options;
    try {
      const reply = await question();
      if (this._isHeld) {
        if (reply?.type === 'attach') {
          this._enter(reply.lease_s);
        }
        onReply(reply);
      }
      return true;
    } catch {
      // A missing reply shows as old numbers; a malformed one is logged.
      if (this._isHeld) {
        onSilence();
      }
      return false;
    }
  }

  private readonly _poll: Poll;
  private readonly _suspicion = new Debouncer(() => this._probe(), SUSPECT_MS);
  private _isHeld = false;
  /** Whether the kernel was displayed when the helper was last notified. */
  private _wasLooking = false;
  /** When the helper last granted the lease, in milliseconds of this page's clock. */
  private _attachedAt = 0;
  /** Duration of the lease in milliseconds. */
  private _durationMs = 0;
}
