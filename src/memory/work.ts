import type { Event, IReplies, Reply } from '../protocol';

/** Requests for work that a kernel does between cells; an event reports its end. */
export type Work =
  | (Extract<Event, { request_id: string | null }>['type'] & keyof IReplies)
  | 'release'
  | 'worker_release';

/** The event that reports the result; that of a release has another name. */
export type End<K extends Work> = Extract<
  Event,
  {
    type: K extends 'release'
      ? 'released'
      : K extends 'worker_release'
        ? 'worker_released'
        : K;
  }
>;

/** Whether an event reports the result of the work that this reply accepted. */
export function isEndOf(event: Event, reply: Reply): boolean {
  return reply.type === 'release'
    ? event.type === 'released' && event.release_id === reply.release_id
    : // The event of an action on a worker has its past tense as type.
      event.type.startsWith(reply.type) &&
        'request_id' in event &&
        event.request_id === reply.id;
}

/** Work that ends sooner shows its result only, in milliseconds. */
const PATIENCE_MS = 500;

/**
 * Call a function once work has taken long enough to be shown.
 *
 * @returns a function that cancels the call when the work has ended
 */
export function whenLong(call: () => void): () => void {
  const timer = setTimeout(call, PATIENCE_MS);
  return () => {
    clearTimeout(timer);
  };
}
