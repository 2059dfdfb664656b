import { perform } from '../kernel/work';
import { whenLong } from '../memory/work';
import { Observable } from '../observable';
import type { EngineName, IWorkerReleased, WorkerAction } from '../protocol';
import type { IKernelMemory } from '../tokens';

/** What a person has asked for, and has not ended. */
export type Going =
  | { readonly kind: 'follow'; readonly engine: EngineName }
  | {
      readonly kind: WorkerAction;
      /** Of the worker. */
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

  /** The outcome of the last; `null`: there is none. */
  get result(): IWorkerReleased | null {
    return this._result;
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

  /** Free what a worker does not need, or end it. Never rejects. */
  async release(
    worker_id: string,
    action: WorkerAction,
    name: string
  ): Promise<void> {
    await this._do({ kind: action, name }, async () => {
      const args = { worker_id, action };
      this._result = await perform(this._memory, 'worker_release', args);
    });
  }

  private async _do(going: Going, run: () => Promise<void>): Promise<void> {
    if (this._going) {
      return;
    }
    this._going = going;
    this._result = null;
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
  private _result: IWorkerReleased | null = null;
  private _problem: unknown = null;
}
