import { type Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import { isObject, parseEvent, parseReply } from '../protocol';
import type { Event, IHello, IRequests, Reply } from '../protocol';
import { reach } from './execution';

/** Command of the extension's debug-protocol requests. */
const COMMAND = 'gpuHeadroom';

/** Comm target of helpers in kernels without control handlers to wrap. */
const TARGET = 'gpu-headroom';

/** Thrown when the kernel does not reply in time or its connection ends first. */
export class NoAnswer extends Error {}

/** Thrown when a reply does not conform to the protocol. */
export class NotUnderstood extends Error {
  /** @param version - the protocol version that the helper announced, if any */
  constructor(readonly version: string | null) {
    super('The answer is not one of the protocol.');
  }
}

/**
 * The messages between this front end and the helper in one kernel.
 *
 * Requests use the control channel, so that a busy kernel replies. Events arrive on
 * iopub with the comm id of the helper; no comm is opened for them, so that every
 * connection to the kernel receives them.
 */
export class HelperChannel {
  constructor(kernel: Kernel.IKernelConnection) {
    this._kernel = kernel;
    kernel.iopubMessage.connect(this._onIOPub, this);
  }

  /** Events of the adopted helper, and `hello` of any helper. */
  readonly events = new Signal<this, Event>(this);

  /** Whether requests use the control channel and need not wait for a cell. */
  get isDirect(): boolean {
    return this._comm === null;
  }

  dispose(): void {
    this.release();
    Signal.clearData(this);
  }

  /** Receive the events of a helper, and send requests on the channel that it states. */
  adopt(hello: IHello): void {
    this._commId = hello.comm_id;
    if (!hello.control && !this._comm && this._kernel.handleComms) {
      const comm = this._kernel.createComm(TARGET);
      comm.onMsg = message => {
        const data: unknown = message.content.data;
        this._onReply(isObject(data) ? data.reply : undefined);
      };
      comm.onClose = () => {
        this.release();
      };
      comm.open();
      this._comm = comm;
    }
  }

  /** Drop the adopted helper, whose kernel process is gone. */
  release(): void {
    this._commId = null;
    if (this._comm && !this._comm.isDisposed) {
      this._comm.dispose();
    }
    this._comm = null;
    this._waiting.forEach(({ reject }) => {
      reject(new NoAnswer());
    });
    this._waiting.clear();
  }

  /**
   * Send a request.
   *
   * @param timeout_ms - applies to the control channel only: over the comm a request
   *   waits for the running cell
   * @returns the reply, or `null` if the kernel has no helper
   * @throws `NoAnswer`, `NotUnderstood`
   */
  async send(
    request: IRequests[keyof IRequests],
    timeout_ms: number
  ): Promise<Reply | null> {
    const body = this._comm
      ? await this._overComm(this._comm, request)
      : await this._overControl(request, timeout_ms);
    // A kernel without a helper replies `{}`; its debugger, without a body.
    if (!isObject(body)) {
      return null;
    }
    const reply = parseReply(body);
    if (!reply) {
      throw new NotUnderstood(announcedVersion(body));
    }
    return reply;
  }

  private async _overControl(
    request: object,
    timeout_ms: number
  ): Promise<unknown> {
    const future = this._kernel.requestDebug({
      type: 'request',
      seq: 0,
      command: COMMAND,
      arguments: request
    });
    const reply = await reach(future, timeout_ms);
    if (reply === null) {
      throw new NoAnswer();
    }
    return (reply.content as { body?: unknown }).body;
  }

  private _overComm(
    comm: Kernel.IComm,
    request: IRequests[keyof IRequests]
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this._waiting.set(request.id, { resolve, reject });
      comm.send({ request: request as unknown as JSONObject });
    });
  }

  private _onReply(body: unknown): void {
    const id = isObject(body) ? body.id : undefined;
    if (typeof id === 'string') {
      this._waiting.get(id)?.resolve(body);
      this._waiting.delete(id);
    }
  }

  private _onIOPub(
    _kernel: Kernel.IKernelConnection,
    message: KernelMessage.IIOPubMessage
  ): void {
    if (!KernelMessage.isCommMsgMsg(message)) {
      return;
    }
    const { comm_id } = message.content;
    // Other libraries of a notebook send on comms of their own.
    const data: unknown = message.content.data;
    if (!isObject(data)) {
      return;
    }
    const isHello = data.type === 'hello' && data.comm_id === comm_id;
    // Replies of the fallback ladder arrive on a comm of their own.
    if (comm_id === this._commId || isHello) {
      const event = parseEvent(data);
      if (event) {
        this.events.emit(event);
      }
    }
  }

  private readonly _kernel: Kernel.IKernelConnection;
  private readonly _waiting = new Map<
    string,
    { resolve: (body: unknown) => void; reject: (reason: Error) => void }
  >();
  private _comm: Kernel.IComm | null = null;
  private _commId: string | null = null;
}

/**
 * Protocol version that a helper of another major version announces, regardless of its
 * other fields.
 */
function announcedVersion(body: Record<string, unknown>): string | null {
  const version = isObject(body.hello) ? body.hello.protocol_version : null;
  return typeof version === 'string' ? version : null;
}
