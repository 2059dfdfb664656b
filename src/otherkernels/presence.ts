import type { Kernel } from '@jupyterlab/services';

import { HelperClient } from '../kernel/client';
import type { IReplies } from '../protocol';
import type { Settings } from '../settings';
import type { IKernelMemory } from '../tokens';

/**
 * A kernel's connection holds our question back until the kernel has described
 * itself, or for 3 s where a cell keeps it from that.
 */
const INFO_MS = 3000;

const TIMEOUT_MS = 5000;

/** What a helper says of itself; `null`: none answered. */
export type Presence = Pick<
  IReplies['presence'],
  'sample' | 'idle_since_s'
> | null;

/**
 * What a kernel that this page follows says of itself: its link asks it once
 * a minute anyway.
 *
 * Over the comm a question would count as activity of that kernel: it is not
 * asked, and what is known may be old.
 */
export function lastPresence({ state }: IKernelMemory): Presence {
  const { cell, hello, phase, sample } = state;
  return phase === 'live' && hello?.control
    ? { sample, idle_since_s: cell?.end_s ?? null }
    : null;
}

/**
 * Ask a kernel over a connection of its own, which is disposed with the answer.
 */
export async function askOnce(
  kernel: Kernel.IKernelConnection,
  settings: Settings
): Promise<Presence> {
  const client = new HelperClient(kernel, settings);
  // No answer, or none that is understood: another program to us.
  const reply = (await isOther(kernel))
    ? null
    : await client.ask('presence', {}, TIMEOUT_MS).catch(() => null);
  client.dispose();
  kernel.dispose();
  return reply?.type === 'presence' ? reply : null;
}

/** Whether a kernel says to be no IPython, which may note our question as an error. */
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
