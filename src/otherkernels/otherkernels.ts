import { PathExt } from '@jupyterlab/coreutils';
import type { Kernel, ServiceManager, Session } from '@jupyterlab/services';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Poll } from '@lumino/polling';

import { Observable } from '../observable';
import type { Settings } from '../settings';
import type { IGpuMemory, IKernelMemory } from '../tokens';
import type { IOtherKernel } from './otherkernel';
import { askOnce, lastPresence, type Presence } from './presence';
import { sharesOf } from './sharing';

/** Interval between requests to kernels that are on screen. */
const ASK_MS = 15_000;

/** Maximum number of repeated requests at a time, the oldest replies first. */
const MOST_AT_ONCE = 2;

/**
 * Interval between requests to two kinds of kernels: each connection to a busy kernel
 * queues a request of JupyterLab's own behind its cell, and a kernel without a helper
 * may log each request.
 */
const ASK_RARELY_MS = 60_000;

interface IOptions {
  readonly memory: IGpuMemory;
  readonly services: Pick<
    ServiceManager.IManager,
    'kernels' | 'kernelspecs' | 'sessions'
  >;
  readonly settings: Settings;
}

/** Reply of a kernel, and when it was requested, in milliseconds. */
interface IAnswer {
  readonly presence: Presence;
  readonly at_ms: number;
}

/**
 * Finds the kernels of the server except that of the focused document, and sends each a
 * `presence` request over the debug protocol, which is answered while a cell runs and
 * does not count as activity. Kernels that this page follows need no request. Requests
 * are sent only while the kernels are displayed and the page is visible.
 *
 * A connection to a kernel that has none would make the server drop the messages that
 * it keeps for a closed page: such kernels are asked only on request of the user.
 */
export class OtherKernels extends Observable {
  constructor(private readonly _options: IOptions) {
    super();
    const { memory, services, settings } = _options;
    this._poll = new Poll({
      auto: false,
      factory: () => this._ask(),
      frequency: { interval: ASK_MS, backoff: false },
      name: 'gpu-headroom:other-kernels',
      standby: 'when-hidden'
    });
    services.kernels.runningChanged.connect(this._onRunning, this);
    memory.currentChanged.connect(this.emit, this);
    settings.changed.connect(this.emit, this);
  }

  /** Kernels in which a helper replies. */
  get kernels(): readonly IOtherKernel[] {
    const own = this._options.memory.current?.kernel.id;
    return this._running().flatMap(model => {
      const answer = this._answerOf(model);
      return answer?.presence && model.id !== own
        ? [this._describe(model, answer.presence, answer.at_ms)]
        : [];
    });
  }

  /** Number of kernels not asked because no page is connected to them. */
  get unasked(): number {
    return this._running().filter(model => this._isUnasked(model)).length;
  }

  /** Whether requests made on request of the user are unanswered. */
  get isAsking(): boolean {
    return this._running().some(
      model => this._wanted.has(model.id) && !this._answerOf(model)
    );
  }

  /** Whether the user may shut them down. */
  get mayShutDown(): boolean {
    return this._options.settings.current.showShutDown;
  }

  /** Send requests at intervals until the returned object is disposed. */
  watch(): IDisposable {
    this._watchers++;
    void this._poll.start();
    return new DisposableDelegate(() => {
      this._watchers--;
      if (this._watchers === 0 && !this.isDisposed) {
        void this._poll.stop();
      }
    });
  }

  /** Ask also kernels without a connected page, on request of the user. */
  askUnasked(): void {
    for (const { id } of this._running()) {
      this._wanted.add(id);
    }
    this.emit();
    void this._poll.refresh();
  }

  /** Whether one of them, by its last reply, uses memory of a GPU of this kernel. */
  isSharing({ state }: IKernelMemory): boolean {
    const devices = state.sample?.devices ?? [];
    return devices.some(device => sharesOf(this.kernels, device).length > 0);
  }

  /** Shut down a kernel; rejects with the server's message. */
  async shutDown(id: string): Promise<void> {
    await this._options.services.kernels.shutdown(id);
  }

  override dispose(): void {
    this._poll.dispose();
    super.dispose();
  }

  /** The Python kernels of the server; others get no requests. */
  private _running(): Kernel.IModel[] {
    const { kernels, kernelspecs } = this._options.services;
    const specs = kernelspecs.specs?.kernelspecs;
    return [...kernels.running()].filter(
      ({ name }) => specs?.[name]?.language.toLowerCase() === 'python'
    );
  }

  private _isUnasked({ id, connections }: Kernel.IModel): boolean {
    return !connections && !this._wanted.has(id) && !this._linked(id);
  }

  private _linked(id: string): IKernelMemory | null {
    return this._options.memory.find({ id });
  }

  /** Last reply of a kernel, to its link or to this object. */
  private _answerOf({ id }: Kernel.IModel): IAnswer | undefined {
    const linked = this._linked(id);
    return linked
      ? { presence: lastPresence(linked), at_ms: linked.state.sampleAt_ms ?? 0 }
      : this._answers.get(id);
  }

  /** Ask new kernels, and of the others a few whose turn it is. */
  private async _ask(): Promise<void> {
    const { services } = this._options;
    await Promise.all([
      services.kernels.refreshRunning(),
      services.sessions.refreshRunning()
    ]);
    for (const { connections, id } of this._running()) {
      if (connections) {
        // The kernel's page is connected again, so the user's request no longer
        // applies.
        this._wanted.delete(id);
      }
    }
    await Promise.all(this._due().map(model => this._askOne(model)));
    this.emit();
  }

  private _due(): Kernel.IModel[] {
    const due = this._running().filter(model => this._isDue(model));
    const askedAt = ({ id }: Kernel.IModel): number =>
      this._answers.get(id)?.at_ms ?? 0;
    const news = due.filter(model => askedAt(model) === 0);
    return due
      .sort((a, b) => askedAt(a) - askedAt(b))
      .slice(0, news.length + MOST_AT_ONCE);
  }

  private _isDue(model: Kernel.IModel): boolean {
    const { id, execution_state } = model;
    if (this._isUnasked(model) || this._linked(id)) {
      return false;
    }
    const answer = this._answers.get(id);
    const isRare = execution_state === 'busy' || answer?.presence === null;
    return !answer || !isRare || Date.now() - answer.at_ms >= ASK_RARELY_MS;
  }

  private async _askOne(model: Kernel.IModel): Promise<void> {
    const { services, settings } = this._options;
    const at_ms = Date.now();
    // A connection that handles comms would close those of the notebook's widgets.
    const kernel = services.kernels.connectTo({ model, handleComms: false });
    const presence = await askOnce(kernel, settings);
    this._answers.set(model.id, { presence, at_ms });
  }

  private _describe(
    { execution_state, id, name }: Kernel.IModel,
    { idle_since_s, sample }: NonNullable<Presence>,
    at_ms: number
  ): IOtherKernel {
    const { sessions } = this._options.services;
    const using = [...sessions.running()].filter(
      ({ kernel }) => kernel?.id === id
    );
    // The clock of a remote kernel may differ: only its difference counts.
    const idle_s =
      sample && idle_since_s !== null ? sample.time_s - idle_since_s : null;
    return {
      id,
      name: using.map(nameSession).join(', ') || name,
      path: using
        .filter(({ type }) => type !== 'console')
        .map(({ path }) => path)
        .join(', '),
      // The server's status is newer than the last reply.
      isBusy: execution_state === 'busy',
      idleSince_ms: idle_s === null ? null : at_ms - idle_s * 1000,
      devices: sample?.devices ?? []
    };
  }

  private _onRunning(_kernels: unknown, running: Kernel.IModel[]): void {
    for (const id of this._answers.keys()) {
      if (running.every(model => model.id !== id)) {
        this._answers.delete(id);
      }
    }
    this.emit();
  }

  private readonly _poll: Poll;
  private readonly _answers = new Map<string, IAnswer>();
  /** Kernels to ask although no page was connected to them. */
  private readonly _wanted = new Set<string>();
  private _watchers = 0;
}

/** Display name of a session; the path of a console is meaningless to users. */
function nameSession({ name, path, type }: Session.IModel): string {
  return type === 'console' ? name : PathExt.basename(path);
}
