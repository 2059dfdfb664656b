/** Silent executions of the extension's own code in a kernel. */
import { type Kernel, KernelMessage } from '@jupyterlab/services';

/**
 * A kernel replies on control in about 10 ms, busy or not; a starting one, once it is
 * up.
 */
const CONTROL_TIMEOUT_MS = 30_000;

/** The shell replies when the running cell ends, which may take long. */
const SHELL_TIMEOUT_MS = 5000;

/** A kernel replies to `kernel_info_request` at once. */
const INFO_TIMEOUT_MS = 10_000;

/** Work to execute: code, and expressions by name. */
export interface IWork {
  readonly code: string;
  readonly expressions?: Readonly<Record<string, string>>;
}

/** Result of an execution. */
export type Outcome =
  | {
      readonly status: 'ok';
      /** Session id, unique to the process that replied. */
      readonly session: string;
      /** Value of each expression as text; `null`: it has none. */
      readonly values: Readonly<Record<string, string | null>>;
    }
  | { readonly status: 'error'; readonly error: string }
  | { readonly status: 'unanswered' };

/** Result of one attempt; kernels abort what is queued behind a cell that fails. */
type Attempt = Outcome | { readonly status: 'aborted' };

type Way = (kernel: Kernel.IKernelConnection, work: IWork) => Promise<Attempt>;

/** Channel on which a kernel last replied. */
const WAYS = new WeakMap<Kernel.IKernelConnection, Way>();

/**
 * Execute silently: on control, where nothing waits behind a cell and no thread's
 * prints are diverted from their cell; on the shell if the kernel executes nothing on
 * control.
 */
export async function execute(
  kernel: Kernel.IKernelConnection,
  work: IWork
): Promise<Outcome> {
  const ladder =
    WAYS.get(kernel) === runOnShell
      ? [runOnShell, runOnControl]
      : [runOnControl, runOnShell];
  for (const way of [...ladder, ...ladder]) {
    const attempt = await way(kernel, work);
    if (attempt.status === 'ok' || attempt.status === 'error') {
      WAYS.set(kernel, way);
      return attempt;
    }
  }
  return { status: 'unanswered' };
}

/**
 * Request the kernel info on control, which is answered while a cell runs. Neither the
 * server nor JupyterLab counts the request as activity or status.
 *
 * @returns `null` if the kernel does not reply or cannot receive the request
 */
export async function askInfo(
  kernel: Kernel.IKernelConnection
): Promise<KernelMessage.IInfoReply | null> {
  const message = KernelMessage.createMessage<KernelMessage.IInfoRequestMsg>({
    msgType: 'kernel_info_request',
    channel: 'shell',
    session: kernel.clientId,
    username: kernel.username,
    content: {}
  });
  // JupyterLab throws if this message would have to wait for a connection.
  if (kernel.connectionStatus !== 'connected' || kernel.status === 'dead') {
    return null;
  }
  const reply = await reach(overControl(kernel, message), INFO_TIMEOUT_MS);
  const content = reply?.content as KernelMessage.IInfoReplyMsg['content'];
  return reply && content.status === 'ok' ? content : null;
}

async function runOnShell(
  kernel: Kernel.IKernelConnection,
  work: IWork
): Promise<Attempt> {
  const future = kernel.requestExecute({
    ...contentOf(work),
    allow_stdin: false
  });
  return attemptOf(await reach(future, SHELL_TIMEOUT_MS));
}

async function runOnControl(
  kernel: Kernel.IKernelConnection,
  work: IWork
): Promise<Attempt> {
  const message = KernelMessage.createMessage<KernelMessage.IExecuteRequestMsg>(
    {
      msgType: 'execute_request',
      channel: 'shell',
      session: kernel.clientId,
      username: kernel.username,
      // With false, the running cell's `input()` would fail.
      content: { ...contentOf(work), allow_stdin: true }
    }
  );
  const future = overControl(kernel, message);
  return attemptOf(await reach(future, CONTROL_TIMEOUT_MS));
}

function contentOf({
  code,
  expressions = {}
}: IWork): KernelMessage.IExecuteRequestMsg['content'] {
  return {
    code,
    silent: true,
    store_history: false,
    user_expressions: { ...expressions },
    stop_on_error: false
  };
}

/**
 * Send on control what JupyterLab's types allow on the shell only; kernels accept it on
 * both.
 */
function overControl(
  kernel: Kernel.IKernelConnection,
  message: KernelMessage.IShellMessage
): IPending<KernelMessage.IDebugReplyMsg> {
  const control = { ...message, channel: 'control' };
  return kernel.sendControlMessage(
    control as unknown as KernelMessage.IDebugRequestMsg,
    true
  );
}

/** The part of a future used here, common to shell and control. */
interface IPending<T> {
  readonly done: Promise<unknown>;
  onReply: (message: T) => void | PromiseLike<void>;
  dispose(): void;
}

/** The fields used of any reply. */
interface IReply {
  readonly header: { readonly session: string };
  readonly content: unknown;
}

/**
 * Wait for the reply of a future; `null` if it times out, or if a restart or the end of
 * the connection disposes the future.
 */
export function reach<T extends IReply>(
  future: IPending<T>,
  timeout_ms: number
): Promise<IReply | null> {
  return new Promise(resolve => {
    const timer = window.setTimeout(() => {
      future.dispose();
    }, timeout_ms);
    future.onReply = reply => {
      window.clearTimeout(timer);
      resolve(reply);
    };
    future.done.catch(() => {
      window.clearTimeout(timer);
      resolve(null);
    });
  });
}

/** Kernels send the status `aborted`, which JupyterLab's types name differently. */
type Content =
  | {
      status: 'ok';
      user_expressions?: Readonly<Record<string, IValue | undefined>>;
    }
  | { status: 'abort' | 'aborted' }
  | KernelMessage.IReplyErrorContent;

/** Value of an expression, or the error that it raised. */
interface IValue {
  readonly data?: Readonly<Record<string, unknown>>;
}

function attemptOf(reply: IReply | null): Attempt {
  if (!reply) {
    return { status: 'unanswered' };
  }
  const content = reply.content as Content;
  if (content.status === 'ok') {
    const { user_expressions = {} } = content;
    const values = Object.entries(user_expressions).map(([name, value]) => {
      const text = value?.data?.['text/plain'];
      return [name, typeof text === 'string' ? text : null];
    });
    return {
      status: 'ok',
      session: reply.header.session,
      values: Object.fromEntries(values) as Record<string, string | null>
    };
  }
  return content.status === 'error'
    ? { status: 'error', error: `${content.ename}: ${content.evalue}` }
    : { status: 'aborted' };
}
