import type { Kernel } from '@jupyterlab/services';

import { HelperClient } from '../kernel/client';
import type { IReplies } from '../protocol';
import type { Settings } from '../settings';
import type { IKernelMemory } from '../tokens';

/**
 * A kernel connection delays the request until the kernel has sent its info, or for 3 s
 * if a cell keeps it from that.
 */
const INFO_MS = 3000;

const TIMEOUT_MS = 5000;

/** State that a helper reports; `null`: no helper replied. */
export type Presence = Pick<
  IReplies['presence'],
  'sample' | 'idle_since_s'
> | null;

/**
 * State of a kernel that this page follows; its link requests it once a minute anyway.
 *
 * Over the comm a request would count as activity of that kernel, so none is sent and
 * the state may be old.
 */
export function lastPresence({ state }: IKernelMemory): Presence {
  const { cell, hello, phase, sample } = state;
  return phase === 'live' && hello?.control
    ? { sample, idle_since_s: cell?.end_s ?? null }
    : null;
}

/** Ask a kernel over a connection of its own, which is disposed with the reply. */
export async function askOnce(
  kernel: Kernel.IKernelConnection,
  settings: Settings
): Promise<Presence> {
  const client = new HelperClient(kernel, settings);
  // No valid reply: the kernel counts as another program.
  const reply = (await isOther(kernel))
    ? null
    : await client.ask('presence', {}, TIMEOUT_MS).catch(() => null);
  client.dispose();
  kernel.dispose();
  return reply?.type === 'presence' ? reply : null;
}

/**
 * Whether a kernel reports an implementation other than IPython, which may log the
 * request as an error.
 */
async function isOther(kernel: Kernel.IKernelConnection): Promise<boolean> {
  let timer: number | undefined;
  const late = new Promise<null>(resolve => {
    timer = window.setTimeout(() => {
      resolve(null);
    }, INFO_MS);
  });
  const info = await Promise.race([kernel.info.catch(() => null), late]);
  window.clearTimeout(timer);
  return info !== null && info.implementation !== 'ipython';
}
