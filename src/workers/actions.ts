import { Task } from '../kernel/task';
import { Observable } from '../observable';
import type { EngineName, IWorkerReleased, WorkerAction } from '../protocol';
import type { IKernelMemory } from '../tokens';

/** What a user has asked for of a worker. */
export interface IWorkerTask {
  readonly action: WorkerAction;
  /** Of the worker. */
  readonly name: string;
  readonly task: Task<'worker_release'>;
}

/**
 * What is done with the workers of one kernel: one thing at a time, and what came of
 * the last.
 */
export class WorkerActions extends Observable {
  constructor(private readonly _memory: IKernelMemory) {
    super();
  }

  /** What goes on; `null`: nothing. */
  get current(): IWorkerTask | null {
    return this._current;
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
    await this._keep(async () => {
      await this._memory.request('follow', { engine, follow });
    });
  }

  /** Free what a worker does not need, or end it. Never rejects. */
  async release(
    worker_id: string,
    action: WorkerAction,
    name: string
  ): Promise<void> {
    if (this._current) {
      return;
    }
    const args = { worker_id, action };
    const task = new Task(this._memory, 'worker_release', args);
    task.changed.connect(this.emit, this);
    this._current = { action, name, task };
    await this._keep(async () => {
      this._result = await task.ended;
    });
    this._current = null;
    this.emit();
  }

  /** Keep what comes of some work. */
  private async _keep(work: () => Promise<void>): Promise<void> {
    this._result = null;
    this._problem = null;
    this.emit();
    try {
      await work();
    } catch (reason) {
      this._problem = reason;
    }
    this.emit();
  }

  private _current: IWorkerTask | null = null;
  private _result: IWorkerReleased | null = null;
  private _problem: unknown = null;
}
