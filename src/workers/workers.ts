import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

import { perKernel } from '../kernel/perkernel';
import { Task } from '../kernel/task';
import { helperOf } from '../memory/model';
import { Observable } from '../observable';
import type {
  EngineName,
  IFollowedWorkers,
  IReplies,
  ISample,
  WorkerAction
} from '../protocol';
import type { IKernelMemory } from '../tokens';

/** The shortest time between two requests, however fast readings arrive. */
const ASK_MS = 1000;

/** An action on a worker that the user requested. */
export interface IWorkerTask {
  readonly action: WorkerAction;
  /** Name of the worker. */
  readonly name: string;
  readonly task: Task<'worker_release'>;
}

/**
 * The workers of one kernel, their GPUs, and actions on them, one at a time. Requested
 * while they are displayed, with each new reading: the helper does not push them, as
 * there may be thousands. Exists as long as its kernel, unless disposed before.
 */
export class Workers extends Observable {
  constructor(private readonly _memory: IKernelMemory) {
    super();
    _memory.stateChanged.connect(this._onState, this);
    _memory.disposed.connect(this.dispose, this);
    this._onState();
  }

  /** The last summary of all of them; `null`: there are none. */
  get summary(): IFollowedWorkers | null {
    return this._summary;
  }

  /** The workers on the fullest GPUs by the last reply; `null`: none yet. */
  get answer(): IReplies['workers'] | null {
    return this._answer;
  }

  /** Why the last request failed; `null`: it did not. */
  get problem(): unknown {
    return this._problem;
  }

  /** Filter of the requested workers: a part of their names; empty: all. */
  get filter(): string {
    return this._filter;
  }

  /** Whether there have been more workers than a reply lists. */
  get isCut(): boolean {
    return this._isCut;
  }

  /** The last action on a worker, in progress or ended; `null`: none. */
  get last(): IWorkerTask | null {
    return this._last;
  }

  /** Whether that action is in progress. */
  get isBusy(): boolean {
    return this._last !== null && this._last.task.step !== 'ended';
  }

  /** Why the helper could not be added to workers, or removed; `null`: it could. */
  get followProblem(): unknown {
    return this._followProblem;
  }

  /** Request workers until the returned object is disposed: they are on screen. */
  show(): IDisposable {
    this._lookers++;
    this._plan();
    return new DisposableDelegate(() => {
      this._lookers--;
      this._plan();
    });
  }

  /** Request the workers whose names contain a text. */
  look(filter: string): void {
    this._filter = filter;
    this.refresh();
    this.emit();
  }

  /** Request again, without waiting for a reading. */
  refresh(): void {
    this._isUrgent = true;
    this._plan();
  }

  /**
   * Inject what the helper lacks, and request again, after a click of the user. Never
   * rejects.
   */
  async retry(): Promise<void> {
    await this._memory.start();
    this.refresh();
  }

  /** Add the helper to the workers of an engine, or remove it. Never rejects. */
  async follow(engine: EngineName, follow: boolean): Promise<void> {
    this._last = null;
    this._followProblem = null;
    try {
      await this._memory.request('follow', { engine, follow });
    } catch (reason) {
      this._followProblem = reason;
    }
    this.refresh();
    this.emit();
  }

  /** Free what a worker does not need, or end it. */
  release(worker_id: string, action: WorkerAction, name: string): void {
    if (!this.isBusy) {
      const args = { worker_id, action };
      const task = new Task(this._memory, 'worker_release', args);
      task.changed.connect(this._onTask, this);
      this._last = { action, name, task };
      this._followProblem = null;
      this.emit();
    }
  }

  override dispose(): void {
    window.clearTimeout(this._timer);
    super.dispose();
  }

  private _onState(): void {
    const { state } = this._memory;
    const helperId = helperOf(state);
    if (helperId !== null && helperId !== this._helperId) {
      // Ids of another helper are no longer valid.
      this._helperId = helperId;
      this._answer = this._problem = null;
      this._filter = '';
      this._isCut = false;
    }
    if (state.sample !== this._sample) {
      this._sample = state.sample;
      this._summary = state.sample?.workers ?? null;
    }
    this._plan();
  }

  private _onTask(): void {
    if (!this.isBusy) {
      this.refresh();
    }
    this.emit();
  }

  /** Request once more if there is a reason to, and no request is in progress. */
  private _plan(): void {
    window.clearTimeout(this._timer);
    const isDue = this._isUrgent || this._sample !== this._askedFor;
    if (
      isDue &&
      this._lookers > 0 &&
      this._summary !== null &&
      !this._isAsking &&
      !this.isDisposed
    ) {
      const rest_ms = this._askedAt + ASK_MS - Date.now();
      this._timer = window.setTimeout(
        () => void this._ask(),
        this._isUrgent ? 0 : Math.max(0, rest_ms)
      );
    }
  }

  private async _ask(): Promise<void> {
    const { _filter: filter, _helperId: helperId } = this;
    this._isAsking = true;
    this._isUrgent = false;
    this._askedFor = this._sample;
    this._askedAt = Date.now();
    let answer: IReplies['workers'] | null = null;
    let problem: unknown = null;
    try {
      answer = await this._memory.request('workers', { filter });
    } catch (reason) {
      problem = reason;
    }
    if (helperId === this._helperId && filter === this._filter) {
      this._problem = problem;
      this._answer = answer ?? this._answer;
      this._summary = answer?.workers ?? this._summary;
      const shown = answer?.gpus.flatMap(gpu => gpu.workers) ?? [];
      this._isCut ||= answer !== null && answer.total > shown.length;
    }
    this._isAsking = false;
    if (!this.isDisposed) {
      this.emit();
      this._plan();
    }
  }

  private _helperId: string | null = null;
  private _sample: ISample | null = null;
  private _summary: IFollowedWorkers | null = null;
  private _answer: IReplies['workers'] | null = null;
  private _problem: unknown = null;
  private _filter = '';
  private _isCut = false;
  private _last: IWorkerTask | null = null;
  private _followProblem: unknown = null;
  private _lookers = 0;
  private _isAsking = false;
  private _isUrgent = false;
  /** The reading of the last request, and the time of that, in milliseconds. */
  private _askedFor: ISample | null = null;
  private _askedAt = -Infinity;
  private _timer: number | undefined;
}

/** The workers of a kernel; one object each. */
export const workersOf = perKernel(memory => new Workers(memory));
