import type { IReleased, RequestArgs } from '../protocol';
import type { IKernelMemory } from '../tokens';
import { finish } from './work';

/**
 * Ask the kernel to free, and wait for what came of it.
 *
 * Rejects with a sentence when the helper refuses or is gone before it is done.
 *
 * @param onWaiting - called with the release's id when it waits for a cell to end
 */
export function release(
  memory: IKernelMemory,
  args: RequestArgs<'release'>,
  onWaiting?: (releaseId: string) => void
): Promise<IReleased> {
  return finish(
    memory,
    'release',
    args,
    (event, { release_id }) =>
      event.type === 'released' && event.release_id === release_id
        ? event
        : null,
    ({ release_id, status }) => {
      if (status === 'waiting') {
        onWaiting?.(release_id);
      }
    }
  );
}
