import { Task } from '../kernel/task';
import { Observable } from '../observable';
import type { EngineName, WorkerAction } from '../protocol';
import type { IKernelMemory } from '../tokens';

/** What a user has asked for of a worker. */
export interface IWorkerTask {
  readonly action: WorkerAction;
  /** Of the worker. */
  readonly name: string;
  readonly task: Task<'worker_release'>;
}

/**
 * What is done with the workers of one kernel: one thing at a time.
 */
export class WorkerActions extends Observable {
  constructor(private readonly _memory: IKernelMemory) {
    super();
  }

  /** The last action, under way or ended; `null`: none. */
  get last(): IWorkerTask | null {
    return this._last;
  }

  /** Whether an action is under way. */
  get isBusy(): boolean {
    return this._last !== null && this._last.task.step !== 'ended';
  }

  /** Why the helper was not put into workers, or taken back; `null`: it was. */
  get problem(): unknown {
    return this._problem;
  }

  /** Put the helper into the workers of an engine, or take it back. Never rejects. */
  async follow(engine: EngineName, follow: boolean): Promise<void> {
    this._last = null;
    this._problem = null;
    try {
      await this._memory.request('follow', { engine, follow });
    } catch (reason) {
      this._problem = reason;
    }
    this.emit();
  }

  /** Free what a worker does not need, or end it. */
  release(worker_id: string, action: WorkerAction, name: string): void {
    if (!this.isBusy) {
      const args = { worker_id, action };
      const task = new Task(this._memory, 'worker_release', args);
      task.changed.connect(this.emit, this);
      this._last = { action, name, task };
      this._problem = null;
      this.emit();
    }
  }

  private _last: IWorkerTask | null = null;
  private _problem: unknown = null;
}
