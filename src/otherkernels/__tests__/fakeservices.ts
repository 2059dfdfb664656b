import type { Kernel, ServiceManager, Session } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import { FakeKernel } from '../../kernel/__tests__/fakekernel';

/** A kernel as the server lists it: a notebook's, with its page open. */
export function makeModel(
  id: string,
  model: Partial<Kernel.IModel> = {}
): Kernel.IModel {
  return {
    id,
    name: 'python3',
    execution_state: 'idle',
    connections: 1,
    ...model
  };
}

/**
 * The seam of the server's services: what runs there is what a test says.
 */
export class FakeServices {
  readonly runningChanged = new Signal<this, Kernel.IModel[]>(this);

  /** What a connection of ours reaches, by the id of the kernel. */
  readonly reached = new Map<string, FakeKernel>();

  /** Each connection that was opened, with what it was opened with. */
  readonly connected: { id: string; handleComms: boolean | undefined }[] = [];

  readonly ended: string[] = [];

  models: Kernel.IModel[] = [];
  sessions: Partial<Session.IModel>[] = [];
  refused: Error | null = null;

  /** These fakes in the type of what they stand for. */
  get manager(): ServiceManager.IManager {
    return {
      kernels: {
        running: () => this.models.values(),
        runningChanged: this.runningChanged,
        refreshRunning: () => Promise.resolve(),
        connectTo: (options: { model: Kernel.IModel; handleComms?: boolean }) =>
          this._connect(options.model.id, options.handleComms),
        shutdown: (id: string) => this._shutDown(id)
      },
      sessions: {
        running: () => this.sessions.values(),
        refreshRunning: () => Promise.resolve()
      },
      kernelspecs: {
        specs: {
          kernelspecs: {
            python3: { language: 'python' },
            ir: { language: 'R' }
          }
        }
      }
    } as unknown as ServiceManager.IManager;
  }

  /** Change what runs, as the server tells it some time. */
  run(models: Kernel.IModel[]): void {
    this.models = models;
    this.runningChanged.emit(models);
  }

  /** A connection of its own: the one that asked for it ends it. */
  private _connect(id: string, handleComms: boolean | undefined): FakeKernel {
    this.connected.push({ id, handleComms });
    const kernel = this.reached.get(id) ?? new FakeKernel(id);
    return Object.assign(kernel, {
      dispose: () => {
        kernel.end();
      }
    });
  }

  private _shutDown(id: string): Promise<void> {
    if (this.refused) {
      return Promise.reject(this.refused);
    }
    this.ended.push(id);
    this.run(this.models.filter(model => model.id !== id));
    return Promise.resolve();
  }
}
