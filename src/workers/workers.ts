import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

import { perKernel } from '../kernel/perkernel';
import { lifeOf } from '../memory/model';
import { Observable } from '../observable';
import type { IFollowedWorkers, IReplies, ISample } from '../protocol';
import type { IKernelMemory } from '../tokens';
import { WorkerActions } from './actions';

/** The shortest time between two requests, however fast readings arrive. */
const ASK_MS = 1000;

/**
 * The workers of one kernel and the GPUs that they are on. They are requested while
 * they are shown, with each new reading: the helper sends nothing unasked, as there may
 * be thousands. Lives as long as its kernel, unless disposed before.
 */
export class Workers extends Observable {
  constructor(readonly memory: IKernelMemory) {
    super();
    this.actions = new WorkerActions(memory);
    this.actions.changed.connect(this._onAction, this);
    memory.stateChanged.connect(this._onState, this);
    memory.disposed.connect(this.dispose, this);
    this._onState();
  }

  /** What is done with them. */
  readonly actions: WorkerActions;

  /** What was told last of all of them; `null`: there are none. */
  get told(): IFollowedWorkers | null {
    return this._told;
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

  /** Ask while the returned object is not disposed: somebody looks. */
  show(): IDisposable {
    this._lookers++;
    this._follow();
    return new DisposableDelegate(() => {
      this._lookers--;
      this._follow();
    });
  }

  /** Request the workers whose names contain a text. */
  look(filter: string): void {
    this._filter = filter;
    this.refresh();
    this.emit();
  }

  /** Ask anew, without waiting for a reading. */
  refresh(): void {
    this._isUrgent = true;
    this._follow();
  }

  /** Bring the helper what it lacks, and ask anew: a user's click. Never rejects. */
  async retry(): Promise<void> {
    await this.memory.start();
    this.refresh();
  }

  override dispose(): void {
    window.clearTimeout(this._timer);
    this.actions.dispose();
    super.dispose();
  }

  private _onState(): void {
    const { state } = this.memory;
    const life = lifeOf(state);
    if (life !== null && life !== this._life) {
      this._life = life;
      this._forget();
    }
    if (state.sample !== this._sample) {
      this._sample = state.sample;
      this._told = state.sample?.workers ?? null;
    }
    this._follow();
  }

  /** What was of another life names nothing any more. */
  private _forget(): void {
    this._answer = null;
    this._problem = null;
    this._filter = '';
    this._isCut = false;
  }

  private _onAction(): void {
    if (!this.actions.isBusy) {
      this.refresh();
    }
    this.emit();
  }

  /** Ask once more where there is a reason to, and none is under way. */
  private _follow(): void {
    window.clearTimeout(this._timer);
    const isDue = this._isUrgent || this._sample !== this._askedFor;
    if (
      isDue &&
      this._lookers > 0 &&
      this._told !== null &&
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
    const isAnswered = (): boolean =>
      life === this._life && filter === this._filter;
    this._isAsking = true;
    this._isUrgent = false;
    this._askedFor = this._sample;
    this._askedAt = Date.now();
    try {
      const answer = await this.memory.request('workers', { filter });
      if (isAnswered()) {
        this._answer = answer;
        this._problem = null;
        this._told = answer.workers;
        this._isCut ||=
          answer.total > answer.cards.flatMap(card => card.workers).length;
      }
    } catch (reason) {
      if (isAnswered()) {
        this._problem = reason;
      }
    }
    this._isAsking = false;
    if (!this.isDisposed) {
      this.emit();
      this._follow();
    }
  }

  private _life: string | null = null;
  private _sample: ISample | null = null;
  private _told: IFollowedWorkers | null = null;
  private _answer: IReplies['workers'] | null = null;
  private _problem: unknown = null;
  private _filter = '';
  private _isCut = false;
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
