import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { PromiseDelegate } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import { HELLO, SAMPLE } from '../../__tests__/samples';
import type { IHello, IRequests, ISample, Reply } from '../../protocol';

type ConnectionStatus = Kernel.ConnectionStatus;

type Request = IRequests[keyof IRequests];

/** Replies of a fake helper; `'silence'`: none. */
export type Answer = (request: Request) => Reply | object | 'silence';

/** A message that is no request to a helper, and its channel. */
interface IExecuted {
  channel: string;
  content: Record<string, unknown>;
}

/** Session id of the process that replies, like those of IPython. */
export const SESSION = '0a1b2c3d-4e5f';

/** Reply of IPython to the probe. */
export const HERE = `['${SESSION}', 'ipykernel.kernelbase', 'ipykernel.ipkernel', 'ipykernel.zmqshell', 'IPython.core.interactiveshell', False, False]`;

const NO_HELPER: Answer = () => ({});

/** A future that replies on request. */
class FakeFuture {
  readonly done: Promise<unknown>;
  onReply: (message: object) => void = () => undefined;
  isDisposed = false;

  constructor() {
    this.done = this._done.promise;
  }

  reply(content: unknown): void {
    if (!this.isDisposed) {
      const message = { header: { session: SESSION }, content };
      this.onReply(message);
      this._done.resolve(message);
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this._done.promise.catch(() => undefined);
    this._done.reject(new Error('Canceled'));
  }

  private readonly _done = new PromiseDelegate<unknown>();
}

/** Fake of a kernel connection: signals, and messages that a test replies to. */
export class FakeKernel {
  constructor(
    readonly id = 'kernel-1',
    readonly name = 'python3'
  ) {}

  readonly clientId = 'client';
  readonly username = '';
  readonly statusChanged = new Signal<this, Kernel.Status>(this);
  readonly connectionStatusChanged = new Signal<this, ConnectionStatus>(this);
  readonly disposed = new Signal<this, void>(this);
  readonly iopubMessage = new Signal<this, KernelMessage.IIOPubMessage>(this);
  readonly comms: FakeComm[] = [];
  readonly executed: IExecuted[] = [];
  readonly requests: Request[] = [];
  /** Number of info requests on control. */
  infoRequests = 0;
  info: Promise<unknown> = Promise.resolve({ implementation: 'ipython' });
  status: Kernel.Status = 'idle';
  connectionStatus: ConnectionStatus = 'connected';
  handleComms = true;
  isDisposed = false;

  /** No helper, until a test injects one. */
  answer: Answer = NO_HELPER;

  /** Results of executions; `'silence'`: no result. By default those of IPython. */
  outcomes: (object | 'silence')[] = [];

  /** Kernel info on control. */
  controlInfo: object | 'silence' = {
    status: 'ok',
    implementation: 'ipython'
  };

  /** Result of IPython for an expression. */
  evaluate: (expression: string) => object = () => {
    const isLive = this.answer === NO_HELPER ? 'False' : 'True';
    const text = HERE.replace(/False\]$/, `${isLive}]`);
    return { status: 'ok', data: { 'text/plain': text } };
  };

  /** This fake, typed as a kernel connection. */
  get connection(): Kernel.IKernelConnection {
    return this as unknown as Kernel.IKernelConnection;
  }

  requestDebug({ arguments: request }: { arguments: Request }): FakeFuture {
    const future = new FakeFuture();
    this.requests.push(request);
    void Promise.resolve().then(() => {
      const body = this.answer(request);
      if (body !== 'silence') {
        const isReply = Object.keys(body).length > 0;
        future.reply(isReply ? { type: 'response', body } : {});
      }
    });
    return future;
  }

  requestExecute(content: Record<string, unknown>): FakeFuture {
    return this._execute('shell', content);
  }

  sendControlMessage(message: {
    header: { msg_type: string };
    channel: string;
    content: Record<string, unknown>;
  }): FakeFuture {
    if (message.header.msg_type === 'kernel_info_request') {
      this.infoRequests++;
      return this._reply(this.controlInfo);
    }
    return this._execute(message.channel, message.content);
  }

  createComm(target: string): FakeComm {
    const comm = new FakeComm(target, request => this.answer(request));
    this.comms.push(comm);
    return comm;
  }

  /** Send an event as the helper does. */
  emit(data: object, comm_id = HELLO.comm_id): void {
    this.iopubMessage.emit({
      channel: 'iopub',
      header: { msg_type: 'comm_msg' },
      content: { comm_id, data }
    } as unknown as KernelMessage.IIOPubMessage);
  }

  setStatus(status: Kernel.Status): void {
    this.status = status;
    this.statusChanged.emit(status);
  }

  setConnection(status: ConnectionStatus): void {
    this.connectionStatus = status;
    this.connectionStatusChanged.emit(status);
  }

  /** End like a connection that is disposed. */
  end(): void {
    this.isDisposed = true;
    this.disposed.emit();
    Signal.clearData(this);
  }

  private _execute(
    channel: string,
    content: Record<string, unknown>
  ): FakeFuture {
    this.executed.push({ channel, content });
    const expressions = Object.entries(content.user_expressions ?? {});
    const user_expressions: Record<string, object> = {};
    for (const [name, expression] of expressions) {
      user_expressions[name] = this.evaluate(String(expression));
    }
    return this._reply(
      this.outcomes.shift() ?? { status: 'ok', user_expressions }
    );
  }

  private _reply(content: object | 'silence'): FakeFuture {
    const future = new FakeFuture();
    void Promise.resolve().then(() => {
      if (content !== 'silence') {
        future.reply(content);
      }
    });
    return future;
  }
}

/** A comm that replies when the cell ends, which in a test is at once. */
class FakeComm {
  constructor(
    readonly target: string,
    private readonly _answer: Answer
  ) {}

  onMsg: (message: { content: { data: object } }) => void = () => undefined;
  onClose: () => void = () => undefined;
  isDisposed = false;
  readonly open = jest.fn();

  send({ request }: { request: Request }): void {
    void Promise.resolve().then(() => {
      this.onMsg({ content: { data: { reply: this._answer(request) } } });
    });
  }

  dispose(): void {
    this.isDisposed = true;
  }
}

/** A running helper. */
export function helper(
  hello: Partial<IHello> = {},
  sample: ISample = SAMPLE
): Answer {
  const introduction: IHello = { ...HELLO, ...hello };
  let { seq } = sample;
  const read = (): object => ({
    ...sample,
    helper_id: introduction.helper_id,
    seq: ++seq
  });
  return request => {
    const { type, id } = request;
    switch (type) {
      case 'attach':
        return {
          type,
          id,
          hello: introduction,
          lease_s: request.visible ? 30 : 90,
          sample: read(),
          cell: null
        };
      case 'sample':
        return { type, id, sample: read(), cell: null };
      case 'cells':
        return { type, id, runs: [] };
      case 'history':
        return { type, id, points: [] };
      case 'release':
        return { type, id, release_id: 'release-1', status: 'queued' };
      default:
        return { type, id };
    }
  };
}
