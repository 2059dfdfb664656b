import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

import { isBusy, helperOf } from '../memory/model';
import type { IMemoryState } from '../memory/state';
import { Observable } from '../observable';
import type { Event, IHolders, IPlan, RequestArgs } from '../protocol';
import type { IKernelMemory } from '../tokens';
import { Task } from './task';

/** Delay after which cells that run one after the other are measured once. */
const REST_MS = 300;

/** Measurements made by a walk between cells: request and event have the same name. */
interface IMeasured {
  holders: IHolders;
  plan: IPlan;
}

/**
 * Last result of a walk through the objects of one kernel, whichever front end
 * requested it.
 *
 * Measured while it is displayed: at first, and after cells and releases. Exists as
 * long as its kernel, unless disposed before.
 */
export class Measurement<K extends keyof IMeasured> extends Observable {
  constructor(
    readonly memory: IKernelMemory,
    private readonly _kind: K
  ) {
    super();
    this._helperId = helperOf(memory.state);
    memory.stateChanged.connect(this._onState, this);
    memory.eventReceived.connect(this._onEvent, this);
    memory.disposed.connect(this.dispose, this);
  }

  /** The last result of this helper; `null`: none yet. */
  get last(): IMeasured[K] | null {
    return this._last;
  }

  /** The measurement in progress; `null`: there is none. */
  get task(): Task<K> | null {
    return this._task;
  }

  /** Why the last one failed, as an error that `explain` supports; `null`: it did not. */
  get problem(): unknown {
    return this._problem;
  }

  /** Whether nothing has happened since it was requested that changes it. */
  get isCurrent(): boolean {
    return this._madeFor === whatHappened(this.memory.state);
  }

  /**
   * Keep the measurement up to date until the returned object is disposed.
   *
   * @param isAsked - the user clicked to display it, so the first may take long
   */
  show(isAsked = false): IDisposable {
    this._lookers++;
    this._isAsked ||= isAsked && this._last === null;
    this._follow();
    return new DisposableDelegate(() => {
      this._lookers--;
      this._follow();
    });
  }

  /**
   * Measure now, or when the running cell ends. Never rejects; resolves when the result
   * arrived, or never will.
   *
   * @param isAsked - whether the user requested it, so that it may take long
   */
  async measure(isAsked: boolean): Promise<void> {
    const before = this._last;
    const args = { asked: isAsked } as RequestArgs<K>;
    const task: Task<K> = new Task<K>(this.memory, this._kind, args);
    this._task = task;
    this._problem = null;
    this._isAsked = false;
    this._met();
    task.changed.connect(() => {
      if (task === this._task) {
        const { taken } = task;
        const last = taken && 'last' in taken ? taken.last : null;
        // A result that arrived since is newer.
        if (last && this._last === before) {
          this._last = last as IMeasured[K];
        }
        this.emit();
      }
    });
    this.emit();
    const problem = await task.ended.then(
      () => null,
      (reason: unknown) => reason
    );
    // A new helper, or a later measurement, ends separately.
    if (task === this._task) {
      this._problem = problem;
      this._task = null;
      this.emit();
    }
  }

  override dispose(): void {
    window.clearTimeout(this._rest);
    super.dispose();
  }

  private _onEvent(_: IKernelMemory, event: Event): void {
    if (event.type === this._kind) {
      this._last = event as IMeasured[K];
      // The result may be from before a release that arrived meanwhile.
      const { lastReleased } = this.memory.state;
      if (!isBusy(this.memory.state) && lastReleased === this._lastReleased) {
        this._met();
      }
      this.emit();
    }
  }

  private _onState(): void {
    const helperId = helperOf(this.memory.state);
    if (helperId !== null && helperId !== this._helperId) {
      this._helperId = helperId;
      this._last = null;
      this._task = null;
      this._problem = null;
      this.emit();
    }
    this._follow();
  }

  /** Count the current state as measured; only later changes are a reason to measure. */
  private _met(): void {
    this._madeFor = whatHappened(this.memory.state);
    this._lastReleased = this.memory.state.lastReleased;
  }

  /** Measure after a delay if something new can be measured. */
  private _follow(): void {
    window.clearTimeout(this._rest);
    if (this._isWanted()) {
      this._rest = window.setTimeout(
        () => {
          if (this._isWanted()) {
            void this.measure(this._isAsked);
          }
        },
        this._isBegun() ? REST_MS : 0
      );
    }
  }

  private _isWanted(): boolean {
    const { state } = this.memory;
    const isLive = state.phase === 'live' && state.sample?.state === 'live';
    return (
      this._lookers > 0 &&
      !this.isDisposed &&
      isLive &&
      !(isBusy(state) && this._isBegun()) &&
      !this.isCurrent
    );
  }

  /**
   * Whether there is a result or a user's request, so that a running cell is waited
   * for.
   */
  private _isBegun(): boolean {
    return this._last !== null || this._task !== null;
  }

  private _helperId: string | null;
  private _last: IMeasured[K] | null = null;
  private _task: Task<K> | null = null;
  private _problem: unknown = null;
  /** Fingerprint of the state when it was requested or arrived. */
  private _madeFor = '';
  private _lastReleased: IMemoryState['lastReleased'] = null;
  private _rest: number | undefined;
  private _lookers = 0;
  private _isAsked = false;
}

/**
 * Fingerprint of what may have changed which objects retain memory: measure again if it
 * differs.
 */
function whatHappened(state: IMemoryState): string {
  const { cell, hello, lastReleased } = state;
  return [
    hello?.helper_id,
    cell?.start_s,
    cell?.end_s,
    lastReleased?.release_id
  ].join();
}
