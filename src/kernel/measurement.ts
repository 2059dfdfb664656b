import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

import { isBusy, lifeOf } from '../memory/model';
import type { IMemoryState } from '../memory/state';
import { whenLong } from '../memory/work';
import { Observable } from '../observable';
import type { Event, IHolders, IPlan, RequestArgs } from '../protocol';
import type { IKernelMemory } from '../tokens';
import { cancel, perform } from './work';

/** Cells that run one after the other are measured once, when this has passed. */
const REST_MS = 300;

/** What is measured by a walk between cells: the request and its event by one name. */
interface IMeasured {
  holders: IHolders;
  plan: IPlan;
}

/**
 * How far a measurement has come.
 *
 * - `none`: none was asked for, or it has come
 * - `queued`: the kernel was asked
 * - `waiting`: it is made when the running cell ends
 */
export type MeasurementStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'queued' }
  | { readonly kind: 'waiting' }
  /** A reason is what `explain` puts into words. */
  | { readonly kind: 'failed'; readonly reason: unknown };

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

  get step(): MeasurementStep {
    return this._step;
  }

  /** Whether one was asked for and has not come. */
  get isPending(): boolean {
    return this._step.kind === 'queued' || this._step.kind === 'waiting';
  }

  /** Whether it has been asked for, and not come, for as long as is worth a word. */
  get isLong(): boolean {
    return this._isLong;
  }

  /** Whether nothing has happened since it was asked for, or came, that changes it. */
  get isCurrent(): boolean {
    return this._madeFor === whatHappened(this.memory.state);
  }

  /**
   * Whole seconds that a person has waited for the walk; `null`: none goes on for
   * as long as is worth a word.
   */
  get elapsed_s(): number | null {
    return this._seconds;
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
    const question = ++this._question;
    const before = this._last;
    this._isAsked = false;
    this._forgetWalk();
    this._met();
    this._set({ kind: 'queued' });
    this._callOff = whenLong(() => {
      this._isLong = true;
      this.emit();
    });
    let end: MeasurementStep = { kind: 'none' };
    try {
      await perform(
        this.memory,
        this._kind,
        { asked: isAsked } as RequestArgs<K>,
        reply => {
          if (question === this._question) {
            this._requestId = reply.id;
            const known = 'last' in reply ? reply.last : null;
            // What has come since is newer.
            if (known && this._last === before) {
              this._last = known as IMeasured[K];
            }
            this._set({ kind: reply.status });
          }
        }
      );
    } catch (reason) {
      end = { kind: 'failed', reason };
    }
    // Another life, and a later question, have an end of their own.
    if (question === this._question) {
      this._set(end);
    }
  }

  /** End the walk. Never rejects: one that has ended meanwhile tells its result. */
  async cancel(): Promise<void> {
    if (this._requestId !== null) {
      await cancel(this.memory, this._requestId);
    }
  }

  override dispose(): void {
    window.clearTimeout(this._rest);
    this._forgetWalk();
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
    } else if (
      event.type === 'progress' &&
      event.request_id === this._requestId
    ) {
      const elapsed_s = Math.round(event.elapsed_s);
      if (elapsed_s !== this._seconds) {
        this._seconds = elapsed_s;
        this.emit();
      }
    }
  }

  private _onState(): void {
    const life = lifeOf(this.memory.state);
    if (life !== null && life !== this._life) {
      this._life = life;
      this._last = null;
      this._question++;
      this._set({ kind: 'none' });
    }
    this._follow();
  }

  private _set(step: MeasurementStep): void {
    this._step = step;
    if (!this.isPending) {
      this._forgetWalk();
    }
    this.emit();
  }

  private _forgetWalk(): void {
    this._callOff();
    this._isLong = false;
    this._requestId = null;
    this._seconds = null;
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
    return this._last !== null || this.isPending;
  }

  private _life: string | null;
  private _last: IMeasured[K] | null = null;
  private _step: MeasurementStep = { kind: 'none' };
  /** The number of the last question: only its answer ends the wait. */
  private _question = 0;
  private _requestId: string | null = null;
  private _seconds: number | null = null;
  private _isLong = false;
  private _callOff = (): void => undefined;
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
