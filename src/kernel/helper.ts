/** Injection of the helper into a kernel that has none. */
import type { Kernel, KernelSpec } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import { PROTOCOL_VERSION } from '../protocol';
import { execute, type IWork } from './execution';

/**
 * Whether a kernel's language is Python by name. For whether it is IPython, see
 * `probe.ts`.
 *
 * The kernel spec is available at once; `kernel.info` may be pending until a running
 * cell ends, and is used only if there is no spec.
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
 * Call what the bootstrap defines, unless another thread did so at the same moment. The
 * expression must not fail, as an error would make `%debug` unusable.
 */
export const START =
  '__import__("builtins").globals().get("_gpu_headroom_bootstrap", lambda *_: None)("__PACK__", "__PROTOCOL_MAJOR__", "__HELPER_VERSION__")';

/** The helper, or one of the parts loaded later: for workers, for dry runs. */
export type PackName = 'PACK' | 'WORKERS_PACK' | 'DRY_RUN_PACK';

/**
 * Return the code that starts the helper with a pack, or that adds another pack to a
 * running helper.
 *
 * Packs are loaded on first use: pages that find a running helper do not need them.
 */
export async function readBootstrap(which: PackName = 'PACK'): Promise<IWork> {
  const { BOOTSTRAP, HELPER_VERSION, ...packs } = await import('./pack');
  const [major = ''] = PROTOCOL_VERSION.split('.');
  // A function, since `$&` in a replacement string would be expanded.
  const started = START.replace('__PACK__', () => packs[which])
    .replace('__PROTOCOL_MAJOR__', major)
    .replace('__HELPER_VERSION__', HELPER_VERSION);
  return { code: BOOTSTRAP, expressions: { started } };
}

/**
 * Run the bootstrap. Only for kernels known to run IPython: see `probe.ts`.
 *
 * @returns `null` if it ran, else what went wrong
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
