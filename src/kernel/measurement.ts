import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

import { isBusy, lifeOf } from '../memory/model';
import type { IMemoryState } from '../memory/state';
import { Observable } from '../observable';
import type { Event, IHolders, IPlan, RequestArgs } from '../protocol';
import type { IKernelMemory } from '../tokens';
import { Task } from './task';

/** Cells that run one after the other are measured once, when this has passed. */
const REST_MS = 300;

/** What is measured by a walk between cells: the request and its event by one name. */
interface IMeasured {
  holders: IHolders;
  plan: IPlan;
}

/**
 * What a walk through the objects of one kernel found last, whichever page asked.
 *
 * It is measured while somebody looks: when that begins, and after cells and
 * releases. Lives as long as its kernel, unless disposed before.
 */
export class Measurement<K extends keyof IMeasured> extends Observable {
  constructor(
    readonly memory: IKernelMemory,
    private readonly _kind: K
  ) {
    super();
    this._life = lifeOf(memory.state);
    memory.stateChanged.connect(this._onState, this);
    memory.eventReceived.connect(this._onEvent, this);
    memory.disposed.connect(this.dispose, this);
  }

  /** As measured last in this life; `null`: not yet. */
  get last(): IMeasured[K] | null {
    return this._last;
  }

  /** The measurement under way; `null`: there is none. */
  get task(): Task<K> | null {
    return this._task;
  }

  /** Why the last one failed, as `explain` puts it into words; `null`: it did not. */
  get problem(): unknown {
    return this._problem;
  }

  /** Whether nothing has happened since it was requested that changes it. */
  get isCurrent(): boolean {
    return this._madeFor === whatHappened(this.memory.state);
  }

  /**
   * Keep it up to date while the returned object is not disposed: somebody looks.
   *
   * @param isAsked - a person has pressed to see it: the first may take long
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
   * Measure now, or when the running cell ends. Never rejects; resolves when it
   * has come, or never will.
   *
   * @param isAsked - whether a person asked for it: then it may take long
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
        const known = taken && 'last' in taken ? taken.last : null;
        // What has come since is newer.
        if (known && this._last === before) {
          this._last = known as IMeasured[K];
        }
        this.emit();
      }
    });
    this.emit();
    const problem = await task.ended.then(
      () => null,
      (reason: unknown) => reason
    );
    // Another life, and a later measurement, have an end of their own.
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
      // It may be of before a release that came meanwhile.
      const { lastReleased } = this.memory.state;
      if (!isBusy(this.memory.state) && lastReleased === this._lastReleased) {
        this._met();
      }
      this.emit();
    }
  }

  private _onState(): void {
    const life = lifeOf(this.memory.state);
    if (life !== null && life !== this._life) {
      this._life = life;
      this._last = null;
      this._task = null;
      this._problem = null;
      this.emit();
    }
    this._follow();
  }

  /** The next reason to measure is what happens from now on. */
  private _met(): void {
    this._madeFor = whatHappened(this.memory.state);
    this._lastReleased = this.memory.state.lastReleased;
  }

  /** Measure after a rest where there is something new to measure. */
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

  /** Whether something is known, or was asked for: a running cell is then waited for. */
  private _isBegun(): boolean {
    return this._last !== null || this._task !== null;
  }

  private _life: string | null;
  private _last: IMeasured[K] | null = null;
  private _task: Task<K> | null = null;
  private _problem: unknown = null;
  /** What had happened when it was asked for, or came. */
  private _madeFor = '';
  private _lastReleased: IMemoryState['lastReleased'] = null;
  private _rest: number | undefined;
  private _lookers = 0;
  private _isAsked = false;
}

/**
 * What may have changed who holds what: it is worth measuring when this differs.
 */
function whatHappened(state: IMemoryState): string {
  const { cell, hello, lastReleased } = state;
  return [
    hello?.life_id,
    cell?.start_s,
    cell?.end_s,
    lastReleased?.release_id
  ].join();
}
