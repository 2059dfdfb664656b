/**
 * Putting the helper into a kernel that has none.
 */
import type { Kernel, KernelSpec } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import { PROTOCOL_VERSION } from '../protocol';
import { execute, type IWork } from './execution';

/**
 * Whether a kernel is Python by name. Whether it is IPython, see `probe.ts`.
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
 * Calls what the bootstrap defines, which another thread may have done at the same
 * moment: then there is nothing to be called. An expression that failed would take
 * `%debug` away.
 */
export const START =
  '__import__("builtins").globals().get("_gpu_headroom_bootstrap", lambda *_: None)("__PACK__", "__PROTOCOL_MAJOR__", "__HELPER_VERSION__")';

/** The helper, or what it lacks at first: for workers, for dry runs. */
export type PackName = 'PACK' | 'WORKERS_PACK' | 'DRY_RUN_PACK';

/**
 * What starts the helper, with the pack in it; or what brings a helper that lives
 * another one.
 *
 * The packs are loaded on first need: pages that find a helper do without.
 */
export async function readBootstrap(which: PackName = 'PACK'): Promise<IWork> {
  const { BOOTSTRAP, HELPER_VERSION, ...packs } = await import('./pack');
  const [major = ''] = PROTOCOL_VERSION.split('.');
  // A function, as a text with `$&` in it would not be put there as it is.
  const started = START.replace('__PACK__', () => packs[which])
    .replace('__PROTOCOL_MAJOR__', major)
    .replace('__HELPER_VERSION__', HELPER_VERSION);
  return { code: BOOTSTRAP, expressions: { started } };
}

/**
 * Run the bootstrap. Only in a kernel that is known to run IPython: see `probe.ts`.
 *
 * @returns `null` when it ran, else what went wrong
 */
export async function inject(
  kernel: Kernel.IKernelConnection,
  bootstrap: IWork,
  trans: TranslationBundle
): Promise<string | null> {
  const outcome = await execute(kernel, bootstrap);
  switch (outcome.status) {
    case 'ok':
      return null;
    case 'error':
      return outcome.error;
    case 'unanswered':
      return trans.__('no answer');
  }
}
