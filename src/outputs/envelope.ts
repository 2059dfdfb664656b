import type { Event, IReplies, IRefused, Reply } from '../protocol';

/** A cell that a fix changes, as it would be. */
export interface IFixedCell {
  readonly cell_id: string;
  readonly execution_count: number | null;
  readonly source: string;
}

/** What the helper sends to a frame, whatever the occasion. */
export interface IEnvelope {
  readonly life_id: string;
  /** The number of the poll that this answers; `null`: it was not asked for. */
  readonly poll: number | null;
  readonly reply: Reply | null;
  /** With the reply to a `fix` request, in the order in which they ran. */
  readonly fixed: readonly IFixedCell[] | null;
  /** Numbered upward; each comes again until the frame has said that it has it. */
  readonly events: readonly (readonly [number, Event])[];
}

/** A reply with the cells that came beside it. */
export type Answer<K extends keyof IReplies> = (IReplies[K] | IRefused) & {
  readonly fixed: readonly IFixedCell[];
};

/**
 * Read what came; `null` where it is none of ours.
 *
 * The helper that sends it brought this script: the events themselves are of its
 * version, and are not checked.
 */
export function readEnvelope(data: unknown): IEnvelope | null {
  const read = data as Partial<IEnvelope> | null | undefined;
  return typeof read === 'object' &&
    read !== null &&
    typeof read.life_id === 'string' &&
    Array.isArray(read.events)
    ? (read as IEnvelope)
    : null;
}
