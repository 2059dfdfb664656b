import type { IReleased } from '../protocol';
import { formatPair } from '../text/format';

/**
 * Items that the report's button frees; freeing them has no cost except that `%debug`
 * no longer works.
 */
export const RELEASED_ITEMS = ['traceback', 'garbage', 'cache'];

/** Whether memory was freed. */
export function hasFreed({ status, freed_bytes: freed }: IReleased): boolean {
  return status === 'done' && freed !== null && freed > 0;
}

/**
 * Whether a release freed what the failure of a report retained. A release without a
 * report id frees what the newest failure retains, too.
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

/** Headroom before and after a release: "1.8 → 13.8 GiB"; empty: not measured. */
export function nameHeadroom({
  headroom_before_bytes: before,
  headroom_after_bytes: after
}: IReleased): string {
  return before === null || after === null
    ? ''
    : formatPair(before, after, ' → ');
}
