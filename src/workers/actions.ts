import { perform } from '../kernel/work';
import { whenLong } from '../memory/work';
import { Observable } from '../observable';
import type {
  EngineName,
  IMessage,
  IWorkerReleased,
  WorkerAction
} from '../protocol';
import type { IKernelMemory } from '../tokens';

/** A question is put without what a cluster does not say in this time. */
const PATIENCE_MS = 2000;

/** What a person has asked for, and has not ended. */
export type Going =
  | { readonly kind: 'follow'; readonly engine: EngineName }
  | {
      readonly kind: WorkerAction;
      /** What they are called together. */
      readonly name: string;
    };

/**
 * What is done with the workers of one kernel: one thing at a time, and what came of
 * the last.
 */
export class WorkerActions extends Observable {
  constructor(private readonly _memory: IKernelMemory) {
    super();
  }

  get going(): Going | null {
    return this._going;
  }

  /** Whether that has gone on for as long as is worth a word. */
  get isLong(): boolean {
    return this._isLong;
  }

  /** What came of the last, for each worker. */
  get results(): readonly IWorkerReleased[] {
    return this._results;
  }

  /** Why it was broken off; `null`: it was not. */
  get problem(): unknown {
    return this._problem;
  }

  /** Put the helper into the workers of an engine, or take it back. Never rejects. */
  async follow(engine: EngineName, follow: boolean): Promise<void> {
    await this._do({ kind: 'follow', engine }, async () => {
      await this._memory.request('follow', { engine, follow });
    });
  }

  /**
   * Free what workers do not need, restart or end them: one after the other. Never
   * rejects.
   *
   * @param name - what they are called together
   */
  async release(
    ids: readonly string[],
    action: WorkerAction,
    name: string
  ): Promise<void> {
    await this._do({ kind: action, name }, async () => {
      for (const worker_id of ids) {
        const args = { worker_id, action };
        const result = await perform(this._memory, 'worker_release', args);
        this._results = [...this._results, result];
      }
    });
  }

  /** Free what workers of an engine do not need, wherever they are idle. Never rejects. */
  async freeIdle(engine: EngineName, name: string): Promise<void> {
    await this.release([`${engine}:*`], 'free', name);
  }

  /**
   * What a restart of a worker would lose, in the helper's words. Never rejects.
   *
   * @returns `null` where nobody says it in time
   */
  async price(worker_id: string): Promise<IMessage | null> {
    const args = { worker_id, action: 'price' } as const;
    const asked = perform(this._memory, 'worker_release', args).then(
      ({ message, status }) => (status === 'done' ? message : null),
      () => null
    );
    const late = new Promise<null>(resolve =>
      setTimeout(resolve, PATIENCE_MS, null)
    );
    return Promise.race([asked, late]);
  }

  private async _do(going: Going, run: () => Promise<void>): Promise<void> {
    if (this._going) {
      return;
    }
    this._going = going;
    this._results = [];
    this._problem = null;
    const callOff = whenLong(() => {
      this._isLong = true;
      this.emit();
    });
    this.emit();
    try {
      await run();
    } catch (reason) {
      this._problem = reason;
    }
    callOff();
    this._isLong = false;
    this._going = null;
    this.emit();
  }

  private _going: Going | null = null;
  private _isLong = false;
  private _results: readonly IWorkerReleased[] = [];
  private _problem: unknown = null;
}
