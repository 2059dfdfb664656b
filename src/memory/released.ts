import type { IReleased } from '../protocol';
import { formatPair } from '../text/format';

/** What the button of a card frees; each costs nothing but `%debug`. */
export const RELEASED_ITEMS = ['traceback', 'garbage', 'cache'];

/** Whether memory was given back. */
export function hasFreed({ status, freed_bytes: freed }: IReleased): boolean {
  return status === 'done' && freed !== null && freed > 0;
}

/**
 * Whether a release gave back what the failure of a report held: one without a
 * report frees what the newest failure holds, too.
 */
export function isReleaseOf(
  { items, report_id, status }: IReleased,
  reportId: string,
  isLatest: boolean
): boolean {
  return (
    status === 'done' &&
    (report_id === reportId ||
      (report_id === null &&
        isLatest &&
        items.some(({ kind }) => kind === 'traceback')))
  );
}

/** What a release did to the headroom: "1.8 → 13.8 GiB"; empty: not known. */
export function nameHeadroom({
  headroom_before_bytes: before,
  headroom_after_bytes: after
}: IReleased): string {
  return before === null || after === null
    ? ''
    : formatPair(before, after, ' → ');
}
