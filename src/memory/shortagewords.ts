/** The memory that a cell lacks, in words. */
import type { ICell } from '../protocol';
import { formatCompared } from '../text/format';
import type { ITranslate } from '../text/translate';
import { formatRange } from './peak';
import type { IShortage } from './shortage';
import { nameCell } from './timelinewords';

/**
 * The sentence at its start: "In [7] needed 14.0 GiB last time, headroom was 8.4 GiB."
 */
export function describeShortage(
  shortage: IShortage,
  cell: ICell | null,
  trans: ITranslate
): string {
  const [needed, headroom] = sizesOf(shortage, trans);
  return trans.__(
    '%1 needed %2 last time, and %3 were free when it started.',
    nameCell(cell ?? { execution_count: null }, trans),
    needed,
    headroom
  );
}

/** Needed and available memory, with enough digits to differ. */
export function sizesOf(
  { headroom_bytes, needed }: IShortage,
  trans: ITranslate
): [needed: string, headroom: string] {
  const { least_bytes, most_bytes } = needed;
  const [least = '', headroom = ''] = formatCompared(
    least_bytes,
    headroom_bytes
  );
  const size =
    most_bytes === least_bytes
      ? least
      : most_bytes === null
        ? trans.__('at least %1', least)
        : formatRange(needed, trans);
  return [size, headroom];
}
