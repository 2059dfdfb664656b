import { PromiseDelegate } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import { isBusy, helperOf } from '../memory/model';
import { type End, isEndOf, whenLong, type Work } from '../memory/work';
import type { Event, IReplies, RequestArgs } from '../protocol';
import { sentenceOf } from '../text/reason';
import type { IKernelMemory } from '../tokens';
import { Failed, Gone } from './problem';

/** Thrown when the helper refused the work; the message is its reason, as a sentence. */
export class NotTaken extends Error {}

/**
 * Progress of work that the user waits for.
 *
 * - `begun`: too short to be shown so far
 * - `waiting`: starts when the running cell ends
 * - `stopping`: canceled, and not ended yet
 */
export type TaskStep = 'begun' | 'going' | 'waiting' | 'stopping' | 'ended';

/** A release in progress. */
export type Release = Task<'release'>;

/**
 * Work of a kernel that the user waits for, from the request to its result. Views
 * follow `changed`; code that continues afterwards awaits `ended`.
 */
export class Task<K extends Work> {
  /** Starts at once. */
  constructor(
    private readonly _memory: IKernelMemory,
    type: K,
    args: RequestArgs<K>
  ) {
    this._helperId = helperOf(_memory.state);
    this._callOff = whenLong(() => {
      this._isLong = true;
      this.changed.emit();
    });
    this.ended = this._end.promise;
    // Views that only follow `changed` read `problem` instead.
    this.ended.catch(() => undefined);
    _memory.stateChanged.connect(this._onState, this);
    _memory.eventReceived.connect(this._onEvent, this);
    _memory.disposed.connect(this._onLost, this);
    _memory.request(type, args).then(
      reply => {
        this._onTaken(reply);
      },
      (reason: unknown) => {
        this._fail(new NotTaken(sentenceOf(reason)));
      }
    );
  }

  /**
   * Rejects with `NotTaken` if the helper refuses, and with an error that `explain`
   * supports if the work fails or its kernel process ends first.
   */
  readonly ended: Promise<End<K>>;

  /** The result; `null`: none yet, or it failed. */
  get result(): End<K> | null {
    return this._result;
  }

  /** Why it failed, as an error that `explain` supports; `null`: it has not. */
  get problem(): unknown {
    return this._problem;
  }

  readonly changed = new Signal<this, void>(this);

  get step(): TaskStep {
    if (this._isOver) {
      return 'ended';
    }
    if (this._isCancelled) {
      return 'stopping';
    }
    return this._isWaiting ? 'waiting' : this._isLong ? 'going' : 'begun';
  }

  /** The kernel's reply when it accepted the work; `null`: it has not yet. */
  get taken(): IReplies[K] | null {
    return this._taken;
  }

  /** Elapsed time in whole seconds; `null`: not reported. */
  get elapsed_s(): number | null {
    return this._seconds;
  }

  /** Whether it has been in progress long enough to show a wait. */
  get isLong(): boolean {
    return this._isLong && !this._isOver;
  }

  /** Whether the user canceled it; it may still have a result. */
  get isCancelled(): boolean {
    return this._isCancelled;
  }

  /**
   * Cancel it while it waits, or stop it at its next pause; a step that cannot be
   * interrupted completes and reports its result. Never rejects.
   */
  async cancel(): Promise<void> {
    if (!this._isCancelled && !this._isOver) {
      this._isCancelled = true;
      this.changed.emit();
      await this._stop();
    }
  }

  private _onTaken(reply: IReplies[K]): void {
    this._taken = reply;
    this._isWaiting = reply.status === 'waiting';
    this._wasBusy = isBusy(this._memory.state);
    this.changed.emit();
    // The event that reports the end may arrive before the reply.
    for (const event of this._early.splice(0)) {
      this._onEvent(this._memory, event);
    }
    if (this._isLost) {
      this._onLost();
    } else if (this._isCancelled) {
      void this._stop();
    }
  }

  private async _stop(): Promise<void> {
    const reply = this._taken;
    if (reply) {
      const id = 'release_id' in reply ? reply.release_id : reply.id;
      await cancel(this._memory, id);
    }
  }

  private _onEvent(_: IKernelMemory, event: Event): void {
    const reply = this._taken;
    if (this._isOver) {
      return;
    }
    if (!reply) {
      this._early.push(event);
    } else if (isEndOf(event, reply)) {
      this._result = event as End<K>;
      this._finish();
      this._end.resolve(this._result);
    } else if (event.type === 'error' && event.request_id === reply.id) {
      this._fail(new Failed(event.message));
    } else if (event.type === 'progress' && event.request_id === reply.id) {
      const elapsed_s = Math.round(event.elapsed_s);
      if (elapsed_s !== this._seconds) {
        this._seconds = elapsed_s;
        this.changed.emit();
      }
    }
  }

  /**
   * Wait again while a cell runs, and fail if the helper is replaced, as a new one
   * never replies.
   */
  private _onState(): void {
    const { state } = this._memory;
    const helperId = helperOf(state);
    const busy = isBusy(state);
    if (helperId !== null && helperId !== this._helperId) {
      this._onLost();
    } else if (this._taken && busy !== this._wasBusy) {
      this._wasBusy = this._isWaiting = busy;
      this.changed.emit();
    }
  }

  private _onLost(): void {
    this._isLost = true;
    if (this._taken) {
      this._fail(new Gone('The kernel is gone.'));
    }
  }

  private _fail(reason: unknown): void {
    if (!this._isOver) {
      this._problem = reason;
      this._finish();
      this._end.reject(reason);
    }
  }

  private _finish(): void {
    this._callOff();
    this._isOver = true;
    Signal.disconnectReceiver(this);
    this.changed.emit();
    Signal.clearData(this);
  }

  private readonly _end = new PromiseDelegate<End<K>>();
  private readonly _callOff: () => void;
  private readonly _helperId: string | null;
  /** Events that arrived before the reply. */
  private readonly _early: Event[] = [];
  private _isLost = false;
  private _taken: IReplies[K] | null = null;
  private _seconds: number | null = null;
  private _result: End<K> | null = null;
  private _problem: unknown = null;
  private _wasBusy = false;
  private _isWaiting = false;
  private _isLong = false;
  private _isCancelled = false;
  private _isOver = false;
}

/**
 * Cancel a waiting release, or stop the walk of a request. Never rejects: work that
 * ended meanwhile reports its result.
 */
export async function cancel(memory: IKernelMemory, id: string): Promise<void> {
  await memory.request('cancel', { cancelled_id: id }).catch(() => undefined);
}
