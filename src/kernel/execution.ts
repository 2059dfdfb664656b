/**
 * Silent executions of our own in a kernel.
 */
import { type Kernel, KernelMessage } from '@jupyterlab/services';

/** A kernel answers on control in some 10 ms, busy or not; one that starts when it is up. */
const CONTROL_TIMEOUT_MS = 30_000;

/** The shell answers when the running cell ends, which may be long. */
const SHELL_TIMEOUT_MS = 5000;

/** What a kernel says of itself it says at once. */
const INFO_TIMEOUT_MS = 10_000;

/** What is executed: code, and expressions by name. */
export interface IWork {
  readonly code: string;
  readonly expressions?: Readonly<Record<string, string>>;
}

/** What became of it. */
export type Outcome =
  | {
      readonly status: 'ok';
      /** What tells the process that answered from all others. */
      readonly session: string;
      /** The value of each expression as text; `null`: it has none. */
      readonly values: Readonly<Record<string, string | null>>;
    }
  | { readonly status: 'error'; readonly error: string }
  | { readonly status: 'unanswered' };

/** How one attempt ended; kernels drop what is queued behind a cell that fails. */
type Attempt = Outcome | { readonly status: 'aborted' };

type Way = (kernel: Kernel.IKernelConnection, work: IWork) => Promise<Attempt>;

/** The way that a kernel answered on last. */
const WAYS = new WeakMap<Kernel.IKernelConnection, Way>();

/**
 * Execute: over control, where it waits behind no cell and takes no thread's
 * prints away from their cell; on the shell of a kernel that executes nothing on
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
 * What a kernel says of itself on control, where it answers while a cell runs.
 * Neither the server nor JupyterLab takes the question for activity or state.
 *
 * @returns `null` when it does not answer, or cannot be asked
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
  // JupyterLab throws where this message would have to wait for a connection.
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

/** Send what the types of JupyterLab know on the shell only; kernels take it on both. */
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

/** The part of a future that is needed here; shell and control have it. */
interface IPending<T> {
  readonly done: Promise<unknown>;
  onReply: (message: T) => void | PromiseLike<void>;
  dispose(): void;
}

/** What is needed of any reply. */
interface IReply {
  readonly header: { readonly session: string };
  readonly content: unknown;
}

/**
 * The reply of a future; `null` for one that waits too long and is given up, and where
 * a restart or the end of the connection disposes it.
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

/** Kernels say `aborted`, whatever the types of JupyterLab call it. */
type Content =
  | {
      status: 'ok';
      user_expressions?: Readonly<Record<string, IValue | undefined>>;
    }
  | { status: 'abort' | 'aborted' }
  | KernelMessage.IReplyErrorContent;

/** The value of an expression, or the error that it raised. */
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
