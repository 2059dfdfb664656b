import type { Event, IReplies, Reply } from '../protocol';

/** Requests for work that a kernel does between cells: an event tells its end. */
export type Work =
  | (Extract<Event, { request_id: string | null }>['type'] & keyof IReplies)
  | 'release'
  | 'worker_release';

/** The event that tells what came of it: those of releases have another name. */
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

/**
 * Whether an event tells what came of the work that was taken on with this reply.
 */
export function isEndOf(event: Event, reply: Reply): boolean {
  return reply.type === 'release'
    ? event.type === 'released' && event.release_id === reply.release_id
    : // What is done with a worker ends in its past tense.
      event.type.startsWith(reply.type) &&
        'request_id' in event &&
        event.request_id === reply.id;
}

/** Work that ends before this is told by its result alone, in milliseconds. */
const PATIENCE_MS = 500;

/**
 * Calls once work has gone on for long enough to be worth a word.
 *
 * @returns what calls it off, where the work has ended
 */
export function whenLong(call: () => void): () => void {
  const timer = setTimeout(call, PATIENCE_MS);
  return () => {
    clearTimeout(timer);
  };
}
