import type {
  IChangedCell,
  IFrameEnvelope,
  IRefused,
  IReplies
} from '../protocol';

/** A reply with the cells that came beside it. */
export type Answer<K extends keyof IReplies> = (IReplies[K] | IRefused) & {
  readonly fixed: readonly IChangedCell[];
};

/**
 * Read what came; `null` where it is none of ours.
 *
 * The helper that sends it brought this script: the events themselves are of its
 * version, and are not checked.
 */
export function readEnvelope(data: unknown): IFrameEnvelope | null {
  const read = data as Partial<IFrameEnvelope> | null | undefined;
  return typeof read?.life_id === 'string' && Array.isArray(read.events)
    ? (read as IFrameEnvelope)
    : null;
}
