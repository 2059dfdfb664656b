/**
 * A peak that need not have been seen: between which sizes it lies, and in words.
 */
import type { ICellMemory } from '../protocol';
import { formatBytes, formatPair } from '../text/format';
import type { ITranslate } from '../text/translate';

/** Between which sizes a peak lies. */
export interface IRange {
  readonly least_bytes: number;
  /** The same as the least: it is exact; `null`: nothing bounds it. */
  readonly most_bytes: number | null;
}

/** The peak of a run on a device; `null`: not measured. */
export function peakIn(memory: ICellMemory): IRange | null {
  const { peak_bytes, peak_at_most_bytes } = memory;
  return peak_bytes === null
    ? null
    : { least_bytes: peak_bytes, most_bytes: peak_at_most_bytes };
}

/** What a run needs on top of what was in use at its start; `null`: not measured. */
export function needIn(memory: ICellMemory): IRange | null {
  const { peak_bytes, needed_bytes } = memory;
  const peak = peakIn(memory);
  return peak === null || peak_bytes === null || needed_bytes === null
    ? null
    : raised(peak, needed_bytes - peak_bytes);
}

/** A range with something added to both of its ends. */
export function raised(
  { least_bytes, most_bytes }: IRange,
  bytes: number
): IRange {
  return {
    least_bytes: least_bytes + bytes,
    most_bytes: most_bytes === null ? null : most_bytes + bytes
  };
}

/** "9.6 GiB", "9.1–9.8 GiB", "at least 9.1 GiB". */
export function formatRange(
  { least_bytes, most_bytes }: IRange,
  trans: ITranslate
): string {
  const least = formatBytes(least_bytes);
  if (most_bytes === null) {
    return trans.__('at least %1', least);
  }
  return formatBytes(most_bytes) === least
    ? least
    : formatPair(least_bytes, most_bytes, '–');
}

/** "peak 9.6 GiB", "peak 9.1–9.8 GiB", "peak at least 9.1 GiB". */
export function describeRange(range: IRange, trans: ITranslate): string {
  return trans.__('peak %1', formatRange(range, trans));
}
