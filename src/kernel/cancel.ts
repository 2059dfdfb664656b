import type { IKernelMemory } from '../tokens';

/**
 * Take back a release that waits, or end the walk of a request. Never rejects:
 * one that has ended meanwhile tells its result.
 */
export async function cancel(memory: IKernelMemory, id: string): Promise<void> {
  await memory.request('cancel', { cancelled_id: id }).catch(() => undefined);
}
