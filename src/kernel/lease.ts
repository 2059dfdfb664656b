import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Debouncer, Poll } from '@lumino/polling';
import { Signal } from '@lumino/signaling';

import { STALE_AFTER_POLLS } from '../memory/model';
import type { Reply } from '../protocol';
import type { Settings } from '../settings';
import type { HelperClient } from './client';

/** A kernel that is looked at is asked this often at rest; pushing would count as activity. */
const POLL_MS = 5000;

/** Any other one tells of its cells by itself, and is asked no more often than this. */
const RENEW_MS = 60_000;

/** Two polls without an answer make ten seconds. */
const POLL_TIMEOUT_MS = 2500;

/** A busy kernel whose helper has not named a cell by now is asked what it does. */
const SUSPECT_MS = 500;

/** With the delay before, two questions without an answer make three seconds. */
const PROBE_TIMEOUT_MS = 1250;

interface IOptions {
  readonly client: HelperClient;
  readonly settings: Settings;
  /** Whether a cell runs: then readings come by themselves. */
  readonly isBusy: () => boolean;
  /** Called with each answer; `null`: nobody is home any more. */
  readonly onReply: (reply: Reply | null) => void;
  /** Called when somebody looks again: not everything was sent meanwhile. */
  readonly onReturn: () => void;
  /** Called when an answer did not come. */
  readonly onSilence: () => void;
}

/**
 * Keeps this page's lease with a helper while the page is visible.
 *
 * A kernel that somebody looks at is polled at rest, and its lease renewed while
 * it is busy. The others hold a longer lease, on which they tell when a cell
 * starts and ends. A hidden page asks nothing.
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
   * Begin to keep a lease. What came with it may be an old reading, or none: a
   * kernel that is looked at is asked again at once.
   *
   * @param duration_s - how long the helper keeps it unless renewed
   */
  begin(duration_s: number): void {
    const { isLooking } = this._options.client;
    this._isHeld = true;
    this._wasLooking = isLooking;
    this._enter(duration_s);
    void (isLooking ? this._poll.start() : this._wait());
  }

  /** Let the lease be: the life that gave it is gone. */
  end(): void {
    this._isHeld = false;
    void this._poll.stop();
  }

  /** Say goodbye, as far as anybody hears it: leases end by themselves. */
  giveBack(): void {
    if (this._isHeld) {
      this._options.client.ask('detach', {}).catch(() => undefined);
      this.end();
    }
  }

  /** Ask now: what was freed should show at once. */
  refresh(): void {
    if (this._isHeld && this._options.client.isLooking) {
      void this._poll.refresh();
    }
  }

  /**
   * The kernel became busy or idle, by its own word.
   *
   * A cell that holds the interpreter from its first moment keeps the helper
   * from saying that it runs; only unanswered questions tell.
   */
  suspect(isWorking: boolean): void {
    void (isWorking ? this._suspicion.invoke() : this._suspicion.stop());
  }

  /** Whether the kernel is one that this page shows. */
  set isShown(isShown: boolean) {
    const { client } = this._options;
    if (client.isShown !== isShown) {
      client.isShown = isShown;
      this._follow();
    }
  }

  /** Look, and receive readings at the fast rate, until disposed. */
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
   * Somebody began to look or ceased to: the helper is told at once.
   *
   * @param isCloser - they look more closely or less, if at all
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

  /** What nobody looks at is asked again if its turn came while the page was hidden. */
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

  /** Renew now, as something of it has changed. */
  private _renew(): void {
    if (this._isHeld && !document.hidden) {
      void this._attach();
    }
  }

  /** Renew; the next question is due a whole interval later. */
  private async _attach(): Promise<void> {
    await this._ask(() => this._options.client.attach());
    void this._wait();
  }

  /** Ask a whole interval from now. */
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

  /** How often the kernel is asked, in milliseconds. */
  private _interval(): number {
    return this._options.client.isLooking
      ? Math.min(POLL_MS, this._durationMs / 3)
      : Math.min(RENEW_MS, (this._durationMs * 2) / 3);
  }

  /** The helper gave a lease just now. */
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
    for (let asked = 0; asked < STALE_AFTER_POLLS && !isAnswered; asked++) {
      const isWanted = this._isHeld && client.isLooking;
      if (!isWanted || !client.channel.isDirect || isBusy()) {
        return;
      }
      isAnswered = await this._ask(() =>
        client.ask('sample', {}, PROBE_TIMEOUT_MS)
      );
    }
  }

  /** Whether there was an answer. */
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
      // No answer shows as old numbers; one that is malformed is in the log.
      if (this._isHeld) {
        onSilence();
      }
      return false;
    }
  }

  private readonly _poll: Poll;
  private readonly _suspicion = new Debouncer(() => this._probe(), SUSPECT_MS);
  private _isHeld = false;
  /** Whether somebody looked when the helper was told last. */
  private _wasLooking = false;
  /** When the helper gave the lease last, in milliseconds of this page's clock. */
  private _attachedAt = 0;
  /** How long it keeps it. */
  private _durationMs = 0;
}
