import type {
  IChangedCell,
  IFrameEnvelope,
  IRefused,
  IReplies
} from '../protocol';

/** A reply with the cells that were sent with it. */
export type Answer<K extends keyof IReplies> = (IReplies[K] | IRefused) & {
  readonly fixed: readonly IChangedCell[];
};

/**
 * Read a message; `null` if it is not from the helper.
 *
 * The helper that sends it also provided this script, so events have the same version
 * and are not checked.
 */
export function readEnvelope(data: unknown): IFrameEnvelope | null {
  const read = data as Partial<IFrameEnvelope> | null | undefined;
  return typeof read?.helper_id === 'string' && Array.isArray(read.events)
    ? (read as IFrameEnvelope)
    : null;
}
