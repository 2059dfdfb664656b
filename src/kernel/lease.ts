import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Debouncer, Poll } from '@lumino/polling';
import { Signal } from '@lumino/signaling';

import type { Reply } from '../protocol';
import type { Settings } from '../settings';
import type { HelperClient } from './client';
import { STALE_AFTER_POLLS } from './model';

/** A kernel at rest is asked this often; pushing would count as activity. */
const POLL_MS = 5000;

/** Two polls without an answer make ten seconds. */
const POLL_TIMEOUT_MS = 2500;

/** A busy kernel whose helper has not named a cell by now is asked what it does. */
const SUSPECT_MS = 500;

/** With the delay before, two questions without an answer make three seconds. */
const PROBE_TIMEOUT_MS = 1250;

/**
 * Keeps this page's lease with a helper while the page is visible: polls a
 * kernel at rest, renews with a busy one, and tells at once what has changed.
 */
export class Lease implements IDisposable {
  constructor(options: Lease.IOptions) {
    this._options = options;
    options.settings.changed.connect(this.renew, this);
    document.addEventListener('visibilitychange', this);
    this._poll = new Poll({
      auto: false,
      factory: () => this._beat(),
      frequency: { interval: POLL_MS, backoff: false },
      name: 'gpu-headroom:lease',
      standby: 'when-hidden'
    });
  }

  get isDisposed(): boolean {
    return this._poll.isDisposed;
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    document.removeEventListener('visibilitychange', this);
    Signal.clearData(this);
    this._suspicion.dispose();
    this._poll.dispose();
  }

  /**
   * Begin to keep a lease, with a first beat at once: what came with it may be
   * an old reading, or none.
   *
   * @param duration_s - how long the helper keeps it unless renewed
   */
  begin(duration_s: number): void {
    const interval = Math.min(POLL_MS, (duration_s * 1000) / 3);
    this._poll.frequency = { ...this._poll.frequency, interval };
    this._isHeld = true;
    void this._poll.start();
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

  /** Renew now, as something of it has changed. */
  renew(): void {
    if (this._isHeld) {
      void this._ask(() => this._options.client.attach());
    }
  }

  /** Ask now: what was freed should show at once. */
  refresh(): void {
    if (this._isHeld) {
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

  /** Receive readings at the fast rate until disposed. */
  watch(): IDisposable {
    const watch = this._options.client.watch();
    this.renew();
    return new DisposableDelegate(() => {
      watch.dispose();
      this.renew();
    });
  }

  handleEvent(event: Event): void {
    if (event.type === 'visibilitychange') {
      this.renew();
      if (this._isHeld && !document.hidden) {
        this._options.onReturn();
      }
    }
  }

  private async _beat(): Promise<void> {
    const { client, isBusy } = this._options;
    // Over the comm a poll would count as activity, and wait for the cell.
    if (this._isHeld && client.channel.isDirect) {
      await this._ask(() =>
        isBusy() ? client.attach() : client.ask('sample', {}, POLL_TIMEOUT_MS)
      );
    }
  }

  private async _probe(): Promise<void> {
    const { client, isBusy } = this._options;
    let isAnswered = false;
    for (let asked = 0; asked < STALE_AFTER_POLLS && !isAnswered; asked++) {
      if (!this._isHeld || !client.channel.isDirect || isBusy()) {
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

  private readonly _options: Lease.IOptions;
  private readonly _poll: Poll;
  private readonly _suspicion = new Debouncer(() => this._probe(), SUSPECT_MS);
  private _isHeld = false;
}

/**
 * A namespace for `Lease` statics.
 */
export namespace Lease {
  /** What a lease is made of. */
  export interface IOptions {
    client: HelperClient;

    settings: Settings;

    /** Whether a cell runs: then readings come by themselves. */
    isBusy: () => boolean;

    /** Called with each answer; `null`: nobody is home any more. */
    onReply: (reply: Reply | null) => void;

    /** Called when the page is visible again: nothing was sent to it meanwhile. */
    onReturn: () => void;

    /** Called when an answer did not come. */
    onSilence: () => void;
  }
}
