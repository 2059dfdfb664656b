/**
 * Putting the helper into a kernel that has none.
 */
import {
  type Kernel,
  type KernelSpec,
  KernelMessage
} from '@jupyterlab/services';

import { type IHello, PROTOCOL_VERSION } from '../protocol';

/** A kernel answers on control in some 10 ms, busy or not; one that starts when it is up. */
const CONTROL_TIMEOUT_MS = 30_000;

/** The shell answers when the running cell ends, which may be long. */
const SHELL_TIMEOUT_MS = 5000;

type Outcome =
  | { status: 'ok' | 'aborted' | 'unanswered' }
  | { status: 'error'; error: string };

/**
 * Whether a kernel speaks Python.
 *
 * Its spec answers at once; `kernel.info` may be pending until a running cell
 * ends, and is asked only where there is no spec.
 */
export async function isPython(
  kernel: Kernel.IKernelConnection,
  specs: KernelSpec.IManager
): Promise<boolean> {
  await specs.ready;
  const spec = specs.specs?.kernelspecs[kernel.name];
  const language = spec?.language ?? (await kernel.info).language_info.name;
  return language.toLowerCase() === 'python';
}

/**
 * The code that starts the helper, with the core pack in it.
 *
 * The packs are loaded on first need: pages that find a helper do without.
 */
export async function readBootstrap(): Promise<string> {
  const { BOOTSTRAP, CORE_PACK, HELPER_VERSION } = await import('./packs');
  const [major = ''] = PROTOCOL_VERSION.split('.');
  return BOOTSTRAP.replace('"__CORE_PACK__"', `"${CORE_PACK}"`)
    .replace('"__PROTOCOL_MAJOR__"', `"${major}"`)
    .replace('"__HELPER_VERSION__"', `"${HELPER_VERSION}"`);
}

/** A helper that came in parts has its first part from another version. */
export class OtherVersion extends Error {
  constructor(
    readonly helper: string,
    readonly page: string
  ) {
    super('The parts of the helper are not of one version.');
  }
}

/**
 * The second pack for a helper.
 *
 * @throws `OtherVersion` where its first one came from another version, whose
 * modules these do not fit
 */
export async function readMore(hello: IHello): Promise<string> {
  const { HELPER_VERSION, MORE_PACK } = await import('./packs');
  if (hello.helper_version !== HELPER_VERSION) {
    throw new OtherVersion(hello.helper_version, HELPER_VERSION);
  }
  return MORE_PACK;
}

/**
 * Run the bootstrap: over control, where it waits behind no cell and takes no
 * thread's prints away from their cell; on the shell of a kernel that executes
 * nothing on control.
 *
 * @returns `null` when it ran, else what went wrong
 */
export async function inject(
  kernel: Kernel.IKernelConnection,
  code: string
): Promise<string | null> {
  for (const run of [runOnControl, runOnShell, runOnControl, runOnShell]) {
    const outcome = await run(kernel, code);
    if (outcome.status === 'ok') {
      return null;
    }
    if (outcome.status === 'error') {
      return outcome.error;
    }
  }
  return 'no answer';
}

function runOnShell(
  kernel: Kernel.IKernelConnection,
  code: string
): Promise<Outcome> {
  const future = kernel.requestExecute({
    code,
    silent: true,
    store_history: false,
    allow_stdin: false,
    stop_on_error: false
  });
  return settle(future, SHELL_TIMEOUT_MS);
}

function runOnControl(
  kernel: Kernel.IKernelConnection,
  code: string
): Promise<Outcome> {
  const message = KernelMessage.createMessage<KernelMessage.IExecuteRequestMsg>(
    {
      msgType: 'execute_request',
      channel: 'shell',
      session: kernel.clientId,
      username: kernel.username,
      content: {
        code,
        silent: true,
        store_history: false,
        // With false, the running cell's `input()` would fail.
        allow_stdin: true,
        stop_on_error: false
      }
    }
  );
  // The types allow debug requests only on control; kernels take these as well.
  const control = { ...message, channel: 'control' };
  const future = kernel.sendControlMessage(
    control as unknown as KernelMessage.IDebugRequestMsg,
    true
  );
  return settle(future, CONTROL_TIMEOUT_MS);
}

/** The part of a future that is needed here; shell and control have it. */
interface IPending<T> {
  readonly done: Promise<unknown>;
  onReply: (message: T) => void | PromiseLike<void>;
  dispose(): void;
}

/** The outcome of an execution; a future that waits too long is given up. */
function settle<T extends { content: unknown }>(
  future: IPending<T>,
  timeout_ms: number
): Promise<Outcome> {
  return new Promise(resolve => {
    const timer = window.setTimeout(() => {
      future.dispose();
    }, timeout_ms);
    future.onReply = ({ content }) => {
      window.clearTimeout(timer);
      resolve(readOutcome(content as ReplyContent));
    };
    future.done.catch(() => {
      window.clearTimeout(timer);
      resolve({ status: 'unanswered' });
    });
  });
}

/** Kernels say `aborted`, whatever the types of JupyterLab call it. */
type ReplyContent =
  | { status: 'ok' | 'abort' | 'aborted' }
  | KernelMessage.IReplyErrorContent;

function readOutcome(content: ReplyContent): Outcome {
  if (content.status === 'ok') {
    return { status: 'ok' };
  }
  return content.status === 'error'
    ? { status: 'error', error: `${content.ename}: ${content.evalue}` }
    : { status: 'aborted' };
}
