import type { Kernel } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

/** What `plain_release.py` defines, and the name of its value in the reply. */
const CALL = '__gpu_headroom_release()';
const EXPRESSION = 'release';

/** Bytes that a release without the helper gave back; `null`: not measured. */
export interface IPlainRelease {
  readonly freedBytes: number | null;
  readonly returnedBytes: number | null;
}

/** A kernel drops what is queued behind a cell that fails. */
const ATTEMPTS = 3;

/**
 * Wait until no cell runs; false when the wait was taken back before.
 */
export function whenIdle(
  kernel: Kernel.IKernelConnection,
  signal: AbortSignal
): Promise<boolean> {
  return new Promise(resolve => {
    const settle = (): void => {
      if (signal.aborted || kernel.status !== 'busy') {
        kernel.statusChanged.disconnect(settle);
        signal.removeEventListener('abort', settle);
        resolve(!signal.aborted);
      }
    };
    kernel.statusChanged.connect(settle);
    signal.addEventListener('abort', settle);
    settle();
  });
}

/**
 * Free what can be freed in a kernel that has no helper.
 *
 * The kernel runs it between cells. Rejects with a sentence when it does not.
 */
export async function plainRelease(
  kernel: Kernel.IKernelConnection,
  trans: TranslationBundle
): Promise<IPlainRelease> {
  const { PLAIN_RELEASE } = await import('../kernel/pack');
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const future = kernel.requestExecute({
      code: PLAIN_RELEASE,
      silent: true,
      store_history: false,
      stop_on_error: false,
      user_expressions: { [EXPRESSION]: CALL }
    });
    const { content } = await future.done;
    if (content.status === 'ok') {
      return measured(content.user_expressions[EXPRESSION]);
    }
    if (content.status === 'error') {
      break;
    }
  }
  throw new Error(trans.__('The kernel did not run the release.'));
}

/** A user expression as the kernel answers it. */
interface IAnswered {
  readonly status: string;
  readonly data?: Record<string, string>;
  readonly ename?: string;
  readonly evalue?: string;
}

function measured(expression: unknown): IPlainRelease {
  const { status, data, ename, evalue } = expression as IAnswered;
  if (status === 'error') {
    throw new Error(`${ename}: ${evalue}`);
  }
  const numbers = JSON.parse(data?.['text/plain'] ?? '[]') as unknown;
  if (!Array.isArray(numbers) || numbers.length !== 4) {
    return { freedBytes: null, returnedBytes: null };
  }
  const [before = 0, after = 0, reserved = 0, left = 0] = numbers.map(Number);
  return { freedBytes: before - after, returnedBytes: reserved - left };
}
