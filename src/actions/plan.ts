import type { IPlan } from '../protocol';
import type { IKernelMemory } from '../tokens';
import { finish } from './work';

/**
 * Ask the kernel to measure what can be freed, and wait for the plan.
 *
 * Rejects with a sentence when the helper refuses, fails, or is gone before it is done.
 *
 * @param asked - whether a person asked for it, and waits
 * @param onTaken - called with the id of the request when the kernel has taken it on
 */
export async function makePlan(
  memory: IKernelMemory,
  asked: boolean,
  onTaken?: (requestId: string) => void
): Promise<IPlan> {
  const answer = await finish(
    memory,
    'plan',
    { asked },
    (event, { id }) =>
      (event.type === 'plan' && event.request_id === id) ||
      (event.type === 'error' && event.where === 'mainloop')
        ? event
        : null,
    ({ id }) => onTaken?.(id)
  );
  if (answer.type === 'error') {
    throw new Error(answer.message.text);
  }
  return answer;
}
