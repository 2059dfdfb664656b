import type { Kernel } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import { INITIAL_STATE } from '../memory/model';
import type { IMemoryState } from '../memory/state';
import type {
  Event,
  IHello,
  IReplies,
  IRequests,
  RequestArgs
} from '../protocol';
import type { IGpuMemory, IKernelMemory } from '../tokens';

const HELLO: IHello = {
  type: 'hello',
  protocol_version: '2.0',
  helper_version: '0.1.0',
  helper_id: 'helper-1',
  comm_id: 'comm-1',
  installed: false,
  control: true
};

/** Replies of a helper; a function may also reject. */
export type Answers = {
  [K in keyof IRequests]?: (
    args: RequestArgs<K>
  ) => Promise<Omit<IReplies[K], 'type' | 'id'>>;
};

/** The memory of a kernel whose helper is simulated by the test. */
export class FakeMemory implements IKernelMemory {
  constructor(readonly answers: Answers = {}) {}

  readonly kernel = {} as Kernel.IKernelConnection;
  readonly stateChanged: Signal<this, void> = new Signal<this, void>(this);
  readonly eventReceived: Signal<this, Event> = new Signal<this, Event>(this);
  readonly disposed: Signal<this, void> = new Signal<this, void>(this);
  readonly requests: [keyof IRequests, unknown][] = [];
  isDisposed = false;

  state: IMemoryState = { ...INITIAL_STATE, phase: 'live', hello: HELLO };

  set(change: Partial<IMemoryState>): void {
    this.state = { ...this.state, ...change };
    this.stateChanged.emit();
  }

  /** Restart the kernel: its helper ends, and another one starts. */
  restart(): void {
    this.set({ phase: 'starting', hello: null });
    this.set({ phase: 'live', hello: { ...HELLO, helper_id: 'helper-2' } });
  }

  send(event: Event): void {
    this.eventReceived.emit(event);
  }

  async request<K extends keyof IRequests>(
    type: K,
    args: RequestArgs<K>
  ): Promise<IReplies[K]> {
    this.requests.push([type, args]);
    const answer = this.answers[type];
    if (!answer) {
      throw new Error('The helper does not answer.');
    }
    return { type, id: '1', ...(await answer(args)) } as unknown as IReplies[K];
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  watch(): { dispose: () => void; isDisposed: boolean } {
    return { dispose: () => undefined, isDisposed: false };
  }

  dispose(): void {
    if (!this.isDisposed) {
      this.isDisposed = true;
      this.disposed.emit();
    }
  }
}

/** A page with one kernel. */
export class FakeGpuMemory implements IGpuMemory {
  constructor(public current: FakeMemory | null) {}

  readonly hasDocument = true;
  readonly currentChanged: Signal<this, void> = new Signal<this, void>(this);

  find(): FakeMemory | null {
    return this.current;
  }
}

/** Let everything that waits for a resolved promise continue. */
export async function settle(): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, 0));
}

/** Let work take long enough to be shown. */
export async function goOn(): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, 510));
}
