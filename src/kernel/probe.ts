/**
 * Whether a kernel runs IPython: kernels that are Python by name may hand on to
 * another place what they are given, a cluster or a database, and with it
 * whatever we execute.
 */
import type { Kernel } from '@jupyterlab/services';

import { NoAnswer } from './channel';
import { askInfo, execute } from './execution';
import { FreeThreaded } from './problem';

const NAME = 'here';

/**
 * Tells the session of the process that evaluates it, which modules take code in
 * there, whether its Python is free-threaded, and whether a helper lives on its
 * shell. A shell that hands cells on has a method of its own among these.
 *
 * It names nothing that a notebook may have taken for itself, imports nothing,
 * and does not fail where IPython runs: an error would take `%debug` away.
 */
export const EXPRESSION =
  '(lambda shell: [shell.kernel.session.session, shell.kernel.execute_request.__module__, shell.kernel.do_execute.__module__, shell.run_cell.__module__, shell.run_cell_async.__module__, "free-threading" in __import__("sys").version, "_gpu_headroom" in shell.__dict__])(__import__("sys").modules["IPython"].get_ipython())';

/** The session, then only methods of ipykernel and IPython, then twice yes or no. */
const VALUE =
  /^\['([^']+)'(?:,\s*'(?:ipykernel|IPython)\.[\w.]+'){4},\s*(True|False),\s*(True|False)\]$/;

/**
 * What answers: something else than IPython in the process that we talk to, or
 * that, with a helper in it or without one.
 */
export type Answering = 'foreign' | 'IPython' | 'helper';

/**
 * Whether a kernel says to be something else than IPython.
 *
 * After a page reload `kernel.info` is pending until the running cell ends: then
 * control is asked, which answers at once.
 */
export async function isOther(
  kernel: Kernel.IKernelConnection
): Promise<boolean> {
  const info = (await settled(kernel.info)) ?? (await askInfo(kernel));
  return info !== null && info.implementation !== 'ipython';
}

/**
 * Find out whether it is IPython that answers, and no kernel that hands on what it
 * gets.
 *
 * It is asked for a value that nobody else can know: the session of its replies.
 * No code is sent for that.
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

/** The value of a promise that has one already, else `null`. */
async function settled<T>(promise: Promise<T>): Promise<T | null> {
  const values: T[] = [];
  promise.then(
    value => values.push(value),
    () => undefined
  );
  await Promise.resolve();
  return values[0] ?? null;
}
