import type { Kernel } from '@jupyterlab/services';

import { HelperClient } from '../kernel/client';
import type { IReplies } from '../protocol';
import type { Settings } from '../settings';
import type { IKernelMemory } from '../tokens';

/**
 * A kernel's connection holds our question back until the kernel has told about
 * itself, or for 3 s where a cell keeps it from that.
 */
const TIMEOUT_MS = 8000;

/** What a helper says of itself; `null`: none answered. */
export type Presence = IReplies['presence'] | null;

/**
 * Ask a kernel that this page follows anyway.
 *
 * Over the comm the question would count as activity of that kernel, and wait
 * for its cell: such a kernel is not asked.
 */
export async function askLinked(memory: IKernelMemory): Promise<Presence> {
  const { phase, hello } = memory.state;
  if (phase !== 'live' || !hello?.control) {
    return null;
  }
  return memory.request('presence', {}).catch(() => null);
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
  const reply = await client.ask('presence', {}, TIMEOUT_MS).catch(() => null);
  client.dispose();
  kernel.dispose();
  return reply?.type === 'presence' ? reply : null;
}
