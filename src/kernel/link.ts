import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import { deathOf, judgeDeath } from '../memory/death';
import {
  type Change,
  INITIAL_STATE,
  isBusy,
  isOwn,
  reduce
} from '../memory/model';
import type { IDeath, IMemoryState } from '../memory/state';
import {
  type Event,
  type IHello,
  type IReplies,
  type IRequests,
  isCompatible,
  type Reply,
  type RequestArgs
} from '../protocol';
import type { Settings } from '../settings';
import { words } from '../text/messages';
import type { IKernelMemory } from '../tokens';
import { Attempts } from './attempts';
import { type HelperChannel, NotUnderstood } from './channel';
import { HelperClient } from './client';
import { Handshake, type IKernelFacts, type Outcome } from './handshake';
import { LaterPacks } from './laterpacks';
import { Lease } from './lease';
import { isOther, probe } from './probe';
import { explain, phaseOf, Silent } from './problem';

/** Options of a link. */
export interface ILinkOptions extends IKernelFacts {
  readonly kernel: Kernel.IKernelConnection;

  readonly settings: Settings;

  /**
   * Called when the kernel died, with a summary of its last reading, and again if the
   * restarted kernel reports that the system killed it.
   */
  readonly onDeath: (death: IDeath) => void;
}

/**
 * The link to one kernel: finds the helper or starts it, and reconnects after every
 * restart of the kernel.
 *
 * The tracker constructs and disposes links; a link owns its client and lease.
 */
export class KernelLink implements IKernelMemory {
  constructor(options: ILinkOptions) {
    const { kernel, settings } = options;
    this._options = options;
    this.kernel = kernel;
    this._client = new HelperClient(kernel, settings);
    this._packs = new LaterPacks(options);
    this._lease = new Lease({
      client: this._client,
      settings,
      isBusy: () => isBusy(this._state),
      onReply: reply => {
        this._onReply(reply);
      },
      onReturn: () => {
        this._onReturn();
      },
      onSilence: () => {
        this._change({ kind: 'unanswered' });
      }
    });
    this._client.channel.events.connect(this._onEvent, this);
    kernel.statusChanged.connect(this._onStatus, this);
    kernel.connectionStatusChanged.connect(this._onConnection, this);
    kernel.disposed.connect(this.dispose, this);
    settings.changed.connect(this._onSettings, this);
    void this._connect();
  }

  readonly kernel: Kernel.IKernelConnection;

  get state(): IMemoryState {
    return this._state;
  }

  readonly stateChanged = new Signal<this, void>(this);

  readonly eventReceived = new Signal<this, Event>(this);

  readonly disposed = new Signal<this, void>(this);

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._turn++;
    if (!this.kernel.isDisposed) {
      this._lease.giveBack();
    }
    this._lease.dispose();
    this._client.dispose();
    this.disposed.emit();
    Signal.clearData(this);
  }

  async start(): Promise<void> {
    if (this._state.phase === 'live') {
      await this._packs.retry(this._state);
    } else {
      this._attempts.clear();
      await this._connect(true);
    }
  }

  watch(): IDisposable {
    return this._lease.watch();
  }

  /** Whether the kernel belongs to the focused document; set by the tracker. */
  set isShown(isShown: boolean) {
    this._lease.isShown = isShown;
  }

  async request<K extends keyof IRequests>(
    type: K,
    args: RequestArgs<K>
  ): Promise<IReplies[K]> {
    const { trans } = this._options;
    const notRunning = trans.__('GPU Headroom is not running in this kernel.');
    if (this._state.phase !== 'live') {
      throw new Error(notRunning);
    }
    const missing = await this._packs.prepare(type, this._state);
    const reply = await this._client
      .ask(type, args)
      .catch((reason: unknown) => {
        const problem: Error = missing ?? new Error(explain(reason, trans));
        throw problem;
      });
    if (reply?.type === 'refused') {
      const { message } = reply;
      // Another front end may have injected what this one could not.
      throw message.id === 'refused.not_now' && missing
        ? missing
        : new Error(words(trans).sentence(message));
    }
    if (reply?.type !== type) {
      void this._connect();
      throw new Error(notRunning);
    }
    return reply as IReplies[K];
  }

  /**
   * Find the helper, or start it where that is allowed.
   *
   * @param asked - the user requested it, so settings are ignored
   */
  private async _connect(asked = false): Promise<void> {
    const turn = this._forget();
    if (this.kernel.connectionStatus !== 'connected') {
      return; // The connection emits its status when it is ready.
    }
    this._change({ kind: 'phase', phase: 'connecting' });
    const handshake = new Handshake({
      ...this._options,
      client: this._client,
      attempts: this._attempts,
      isIdle: () => this.kernel.status === 'idle',
      isOther: () => isOther(this.kernel),
      probe: () => probe(this.kernel),
      isCurrent: () => turn === this._turn,
      onStarting: () => {
        this._change({ kind: 'phase', phase: 'starting' });
      }
    });
    try {
      this._conclude(await handshake.run(asked));
    } catch (reason) {
      if (turn === this._turn) {
        const phase = phaseOf(reason);
        const problem = explain(reason, this._options.trans);
        this._isSilent = reason instanceof Silent;
        this._change({ kind: 'phase', phase, problem });
      }
    }
  }

  private _conclude(outcome: Outcome): void {
    switch (outcome.kind) {
      case 'absent':
        this._change({ kind: 'phase', phase: 'absent' });
        break;
      case 'off':
        this._change(outcome);
        break;
      case 'attached':
        this._goLive(outcome.reply);
    }
  }

  private _goLive(reply: IReplies['attach']): void {
    const { hello, lease_s } = reply;
    if (!isCompatible(hello.protocol_version)) {
      throw new NotUnderstood(hello.protocol_version);
    }
    this._client.channel.adopt(hello);
    this._change({ kind: 'attached', reply, now: Date.now() });
    this._lease.begin(lease_s);
    this._lastLive = null;
    void this._recall(hello);
  }

  /** Request what was missed, if a request does not count as activity of the kernel. */
  private _onReturn(): void {
    const { hello } = this._state;
    if (hello && this._client.channel.isDirect) {
      void this._recall(hello);
    }
  }

  /** Request what happened without this front end. */
  private async _recall({ helper_id }: IHello): Promise<void> {
    const [cells, history] = await Promise.allSettled([
      this.request('cells', {}),
      this.request('history', {})
    ]);
    if (this._state.hello?.helper_id === helper_id) {
      this._change({
        kind: 'recalled',
        runs: cells.status === 'fulfilled' ? cells.value.runs : [],
        points: history.status === 'fulfilled' ? history.value.points : []
      });
    }
  }

  /** Handle replies to the lease's requests. */
  private _onReply(reply: Reply | null): void {
    const now = Date.now();
    const helperId = this._state.hello?.helper_id;
    if (reply?.type === 'sample' && reply.sample.helper_id === helperId) {
      this._change({ kind: 'polled', reply, now });
    } else if (reply?.type === 'attach' && reply.hello.helper_id === helperId) {
      this._change({ kind: 'attached', reply, now });
    } else {
      void this._connect();
    }
  }

  private _onEvent(_channel: HelperChannel, event: Event): void {
    if (isOwn(this._state, event)) {
      this._change({ kind: 'event', event, now: Date.now() });
      this.eventReceived.emit(event);
      if (event.type === 'error') {
        console.warn(event.message.text);
      } else if (event.type === 'released') {
        this._lease.refresh();
      } else if (event.type === 'bye') {
        this._onBye(event.reason === 'replaced');
      }
    } else if (event.type === 'hello') {
      this._onHello(event);
    }
  }

  /** Handle the `hello` of a helper that is not the adopted one. */
  private _onHello(hello: IHello): void {
    if (this._state.phase === 'starting') {
      this._client.channel.adopt(hello); // Without control, attach needs its comm.
    } else if (this._state.phase !== 'connecting') {
      void this._connect();
    }
  }

  private _onBye(isReplaced: boolean): void {
    if (isReplaced) {
      void this._connect();
    } else {
      this._forget();
      this._change({ kind: 'off', reason: 'click' });
    }
  }

  private _onStatus(
    _kernel: Kernel.IKernelConnection,
    status: Kernel.Status
  ): void {
    const { phase } = this._state;
    switch (status) {
      case 'autorestarting':
        this._attempts.clear();
        this._drop();
        this._die();
        break;
      case 'restarting':
        this._attempts.clear();
        this._drop();
        break;
      case 'terminating':
      case 'dead':
        this._drop();
        break;
      case 'starting':
        // If no handshake is in progress, the kernel was restarted elsewhere.
        this._attempts.clear();
        if (!['connecting', 'starting', 'absent'].includes(phase)) {
          void this._connect();
        }
        break;
      default:
        this._lease.suspect(status === 'busy');
        if (phase === 'disconnected' || this._showsLife(status)) {
          void this._connect();
        }
    }
  }

  /** Whether a kernel that did not reply shows by its status that it may be able to. */
  private _showsLife(status: Kernel.Status): boolean {
    return (
      this._state.phase === 'failed' &&
      this._isSilent &&
      (status === 'busy' || status === 'idle') &&
      this._attempts.sign()
    );
  }

  private _onConnection(
    _kernel: Kernel.IKernelConnection,
    status: Kernel.IKernelConnection['connectionStatus']
  ): void {
    if (status === 'connected') {
      void this._connect();
    } else {
      this._drop();
    }
  }

  private _onSettings(): void {
    if (this._state.phase === 'off') {
      void this._connect();
    }
  }

  /**
   * Handle a kernel that the server found dead and restarts. (`dead` alone does not
   * imply that: a kernel that was shut down is dead too.)
   */
  private _die(): void {
    if (this._lastLive) {
      const death = deathOf(this._lastLive, Date.now());
      this._lastLive = null;
      this._death = death;
      this._change({ kind: 'died', death });
      this._options.onDeath(death);
    }
  }

  private _drop(): void {
    if (this._state.phase === 'live') {
      this._lastLive = this._state;
    }
    this._forget();
    this._change({ kind: 'phase', phase: 'disconnected' });
  }

  /** Start a new turn; unfinished work of the last one no longer counts. */
  private _forget(): number {
    this._lease.end();
    this._client.channel.release();
    return ++this._turn;
  }

  private _change(change: Change): void {
    const next = reduce(this._state, change);
    if (next !== this._state && !this._isDisposed) {
      this._state = next;
      this._packs.look(next);
      this.stateChanged.emit();
      this._judge();
    }
  }

  /** Report the cause of the last death once the restarted kernel provides it. */
  private _judge(): void {
    const death = this._death && judgeDeath(this._death, this._state);
    if (death) {
      this._death = null;
      if (death.isKilled) {
        this._options.onDeath(death);
      }
    }
  }

  private readonly _options: ILinkOptions;
  private readonly _client: HelperClient;
  private readonly _packs: LaterPacks;
  private readonly _lease: Lease;
  private _state = INITIAL_STATE;
  /** Last state of a helper that may have died. */
  private _lastLive: IMemoryState | null = null;
  /** A death whose cause the restarted kernel has not reported yet. */
  private _death: IDeath | null = null;
  private readonly _attempts = new Attempts();
  private _turn = 0;
  /** Whether the last handshake failed because there was no reply. */
  private _isSilent = false;
  private _isDisposed = false;
}
