import type { Kernel, ServiceManager, Session } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import { FakeKernel } from '../../kernel/__tests__/fakekernel';

/** A kernel as the server lists it: that of a notebook whose page is open. */
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

/** Fake of the server's services; the test sets what is running. */
export class FakeServices {
  readonly runningChanged = new Signal<this, Kernel.IModel[]>(this);

  /** Kernels by id, as reached by a connection. */
  readonly reached = new Map<string, FakeKernel>();

  /** Each connection that was opened, with its options. */
  readonly connected: { id: string; handleComms: boolean | undefined }[] = [];

  readonly ended: string[] = [];

  models: Kernel.IModel[] = [];
  sessions: Partial<Session.IModel>[] = [];
  refused: Error | null = null;

  /** These fakes, typed as a service manager. */
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

  /** Change the running kernels, as the server reports them at some time. */
  run(models: Kernel.IModel[]): void {
    this.models = models;
    this.runningChanged.emit(models);
  }

  /** A connection of its own, disposed by the caller. */
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
