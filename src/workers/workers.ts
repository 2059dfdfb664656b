import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

import { perKernel } from '../kernel/perkernel';
import { Task } from '../kernel/task';
import { lifeOf } from '../memory/model';
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

/** What a user has asked for of a worker. */
export interface IWorkerTask {
  readonly action: WorkerAction;
  /** Of the worker. */
  readonly name: string;
  readonly task: Task<'worker_release'>;
}

/**
 * The workers of one kernel and the GPUs that they are on, and what is done with them,
 * one thing at a time. They are requested while they are shown, with each new reading:
 * the helper sends nothing unasked, as there may be thousands. Lives as long as its
 * kernel, unless disposed before.
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

  /** The workers on the fullest GPUs, as answered last; `null`: not yet. */
  get answer(): IReplies['workers'] | null {
    return this._answer;
  }

  /** Why the last answer did not come; `null`: it did. */
  get problem(): unknown {
    return this._problem;
  }

  /** A part of the names of the workers that are requested; empty: all. */
  get filter(): string {
    return this._filter;
  }

  /** Whether there have been more than an answer has. */
  get isCut(): boolean {
    return this._isCut;
  }

  /** The last thing done with one, under way or ended; `null`: none. */
  get last(): IWorkerTask | null {
    return this._last;
  }

  /** Whether that is under way. */
  get isBusy(): boolean {
    return this._last !== null && this._last.task.step !== 'ended';
  }

  /** Why the helper was not put into workers, or taken back; `null`: it was. */
  get followProblem(): unknown {
    return this._followProblem;
  }

  /** Ask while the returned object is not disposed: they are on screen. */
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

  /** Ask again, without waiting for a reading. */
  refresh(): void {
    this._isUrgent = true;
    this._plan();
  }

  /** Bring the helper what it lacks, and ask again: a user's click. Never rejects. */
  async retry(): Promise<void> {
    await this._memory.start();
    this.refresh();
  }

  /** Put the helper into the workers of an engine, or take it back. Never rejects. */
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
    const life = lifeOf(state);
    if (life !== null && life !== this._life) {
      // What was of another life names nothing any more.
      this._life = life;
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

  /** Ask once more where there is a reason to, and none is under way. */
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
    const { _filter: filter, _life: life } = this;
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
    if (life === this._life && filter === this._filter) {
      this._problem = problem;
      this._answer = answer ?? this._answer;
      this._summary = answer?.workers ?? this._summary;
      const shown = answer?.cards.flatMap(card => card.workers) ?? [];
      this._isCut ||= answer !== null && answer.total > shown.length;
    }
    this._isAsking = false;
    if (!this.isDisposed) {
      this.emit();
      this._plan();
    }
  }

  private _life: string | null = null;
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
  /** The reading after which it was asked last, and when, in milliseconds. */
  private _askedFor: ISample | null = null;
  private _askedAt = -Infinity;
  private _timer: number | undefined;
}

/** The workers of a kernel: each has one. */
export const workersOf = perKernel(memory => new Workers(memory));
