/** Releases that wait for the running cell to end. */
import type { TranslationBundle } from '@jupyterlab/translation';

import { cancel } from '../kernel/task';
import type { IMemoryState } from '../memory/state';
import type { IKernelMemory } from '../tokens';

/** When a waiting release will start: "Starts when In [9] finishes." */
export function startsWhen(
  { cell }: IMemoryState,
  trans: TranslationBundle
): string {
  const count = cell?.status === 'running' ? cell.execution_count : null;
  return count === null
    ? trans.__('Starts when the running cell finishes.')
    : trans.__('Starts when In [%1] finishes.', count);
}

/** Ids of the waiting releases of all front ends. */
export function queuedIn({ sample }: IMemoryState): readonly string[] {
  return sample?.queued ?? [];
}

/**
 * Cancel every waiting release. Never rejects: one that has started meanwhile reports
 * its result.
 */
export async function cancelQueued(memory: IKernelMemory): Promise<void> {
  for (const releaseId of queuedIn(memory.state)) {
    await cancel(memory, releaseId);
  }
}
