/**
 * Check whether a kernel runs IPython: kernels that are Python by name may forward the
 * code that they receive, including the extension's, to a cluster or a database.
 */
import type { Kernel } from '@jupyterlab/services';

import { NoAnswer } from './channel';
import { askInfo, execute } from './execution';
import { FreeThreaded } from './problem';

const NAME = 'here';

/**
 * Evaluates to the session of the process, the modules of the methods that receive code
 * there, whether its Python is free-threaded, and whether a helper is on its shell. A
 * shell that forwards cells has a method of its own among these.
 *
 * It uses no name that a notebook may have rebound, imports nothing, and does not fail
 * where IPython runs: an error would make `%debug` unusable.
 */
export const EXPRESSION =
  '(lambda shell: [shell.kernel.session.session, shell.kernel.execute_request.__module__, shell.kernel.do_execute.__module__, shell.run_cell.__module__, shell.run_cell_async.__module__, "free-threading" in __import__("sys").version, "_gpu_headroom" in shell.__dict__])(__import__("sys").modules["IPython"].get_ipython())';

/** The session, then only methods of ipykernel and IPython, then two flags. */
const VALUE =
  /^\['([^']+)'(?:,\s*'(?:ipykernel|IPython)\.[\w.]+'){4},\s*(True|False),\s*(True|False)\]$/;

/**
 * Kind of process that replied: something other than IPython in the kernel's own
 * process, or IPython with or without a helper.
 */
export type Answering = 'foreign' | 'IPython' | 'helper';

/**
 * Whether a kernel reports an implementation other than IPython.
 *
 * After a page reload `kernel.info` is pending until the running cell ends; the request
 * then goes over control, which replies at once.
 */
export async function isOther(
  kernel: Kernel.IKernelConnection
): Promise<boolean> {
  const info = (await settled(kernel.info)) ?? (await askInfo(kernel));
  return info !== null && info.implementation !== 'ipython';
}

/**
 * Find out whether IPython itself replies, not a kernel that forwards its code.
 *
 * The expression evaluates to a value that only the kernel's own process has: the
 * session of its replies. No other code is sent for that.
 *
 * @throws `NoAnswer`, `FreeThreaded`
 */
export async function probe(
  kernel: Kernel.IKernelConnection
): Promise<Answering> {
  const outcome = await execute(kernel, {
    code: '',
    expressions: { [NAME]: EXPRESSION }
  });
  if (outcome.status === 'unanswered') {
    throw new NoAnswer();
  }
  if (outcome.status === 'error') {
    return 'foreign';
  }
  const [, session, isFreeThreaded, isLive] =
    VALUE.exec(outcome.values[NAME] ?? '') ?? [];
  if (session === undefined || session !== outcome.session) {
    return 'foreign';
  }
  if (isFreeThreaded === 'True') {
    throw new FreeThreaded();
  }
  return isLive === 'True' ? 'helper' : 'IPython';
}

/** The value of a promise that is already fulfilled, else `null`. */
async function settled<T>(promise: Promise<T>): Promise<T | null> {
  const values: T[] = [];
  promise.then(
    value => values.push(value),
    () => undefined
  );
  await Promise.resolve();
  return values[0] ?? null;
}
