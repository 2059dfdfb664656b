import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

import { lifeOf } from '../memory/model';
import { Observable } from '../observable';
import type {
  IFollowedWorkers,
  IReplies,
  ISample,
  IWorkerHost
} from '../protocol';
import type { IKernelMemory } from '../tokens';
import { WorkerActions } from './actions';
import { type IRecorded, withFullest } from './recording';

/** However fast readings come: the cards are asked for at most this often. */
const ASK_MS = 1000;

/** Which cards are asked for. */
export interface IQuestion {
  /** `null`: of all hosts. */
  readonly host: string | null;
  /** What host, card or worker are called, in part; empty: all. */
  readonly filter: string;
  /** So many are left out at first. */
  readonly offset: number;
}

const ALL: IQuestion = { host: null, filter: '', offset: 0 };

/**
 * The workers of one kernel and the cards that they are on. The cards are asked for
 * while somebody looks, with each new reading: nothing comes of itself, as there may
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

  /** The workers that show more of themselves, by card and id. */
  readonly expanded = new Set<string>();

  /** What was told last of all of them; `null`: there are none. */
  get told(): IFollowedWorkers | null {
    return this._told;
  }

  /** What was read of their fullest card in this session; `null`: nothing. */
  get recorded(): IRecorded | null {
    return this._recorded;
  }

  /** Cards and hosts, as answered last; `null`: not yet. */
  get answer(): IReplies['workers'] | null {
    return this._answer;
  }

  /** Why the last answer did not come; `null`: it did. */
  get problem(): unknown {
    return this._problem;
  }

  get question(): IQuestion {
    return this._question;
  }

  /** The hosts, where there are several: then one of them is open at most. */
  get hosts(): readonly IWorkerHost[] {
    const { hosts = [], more_hosts = 0 } = this._answer ?? {};
    return hosts.length + more_hosts > 1 ? hosts : [];
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

  /** Ask for other cards, from the first on unless told otherwise. */
  look(change: Partial<IQuestion>): void {
    this._hasChosen ||= change.host !== undefined;
    this._question = { ...this._question, offset: 0, ...change };
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

  /** Show more of a worker, or less. */
  toggle(id: string, isExpanded = !this.expanded.has(id)): void {
    if (isExpanded) {
      this.expanded.add(id);
    } else {
      this.expanded.delete(id);
    }
    this.emit();
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
      this._recorded = state.sample
        ? withFullest(this._recorded, state.sample)
        : this._recorded;
    }
    this._follow();
  }

  /** What was of another life names nothing any more. */
  private _forget(): void {
    this._answer = null;
    this._problem = null;
    this._recorded = null;
    this._question = ALL;
    this._hasChosen = false;
    this.expanded.clear();
  }

  private _onAction(): void {
    if (this.actions.going === null) {
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
    const { _life: life, _question: question } = this;
    const isAnswered = (): boolean =>
      life === this._life && question === this._question;
    this._isAsking = true;
    this._isUrgent = false;
    this._askedFor = this._sample;
    this._askedAt = Date.now();
    try {
      const answer = await this.memory.request('workers', {
        ...question,
        // What is called so may be anywhere.
        host: question.filter ? null : question.host
      });
      if (isAnswered()) {
        this._take(answer);
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

  private _take(answer: IReplies['workers']): void {
    this._answer = answer;
    this._problem = null;
    this._told = answer.workers;
    const fullest = this.hosts[0]?.name ?? null;
    const { host } = this._question;
    const isFirst = host === null && fullest !== null && !this._hasChosen;
    const isGone =
      host !== null &&
      answer.more_hosts === 0 &&
      !answer.hosts.some(({ name }) => name === host);
    if (isFirst || isGone) {
      this.look({ host: fullest });
    }
  }

  private _life: string | null = null;
  private _sample: ISample | null = null;
  private _told: IFollowedWorkers | null = null;
  private _recorded: IRecorded | null = null;
  private _answer: IReplies['workers'] | null = null;
  private _problem: unknown = null;
  private _question = ALL;
  /** A host was opened or closed, at first the fullest. */
  private _hasChosen = false;
  private _lookers = 0;
  private _isAsking = false;
  private _isUrgent = false;
  /** The reading after which it was asked last, and when, in milliseconds. */
  private _askedFor: ISample | null = null;
  private _askedAt = -Infinity;
  private _timer: number | undefined;
}
