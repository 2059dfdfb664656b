import type { IPlan } from '../protocol';
import type { IKernelMemory } from '../tokens';
import { finish } from './work';

/**
 * Ask the kernel to measure what can be freed, and wait for the plan.
 *
 * Rejects with a sentence when the helper refuses, fails, or is gone before it is done.
 */
export async function makePlan(memory: IKernelMemory): Promise<IPlan> {
  const answer = await finish(memory, 'plan', {}, (event, { id }) =>
    (event.type === 'plan' && event.request_id === id) ||
    (event.type === 'error' && event.where === 'mainloop')
      ? event
      : null
  );
  if (answer.type === 'error') {
    throw new Error(answer.message.text);
  }
  return answer;
}
