/** A peak that may not have been read exactly: its bounds, and in words. */
import type { ICellMemory } from '../protocol';
import { formatBytes, formatPair } from '../text/format';
import type { ITranslate } from '../text/translate';

/** Bounds of a peak. */
export interface IRange {
  readonly least_bytes: number;
  /** Equal to the least if exact; `null`: no upper bound. */
  readonly most_bytes: number | null;
}

/** Peak of a run on a device; `null`: not measured. */
export function peakIn(memory: ICellMemory): IRange | null {
  const { peak_bytes, peak_at_most_bytes } = memory;
  return peak_bytes === null
    ? null
    : { least_bytes: peak_bytes, most_bytes: peak_at_most_bytes };
}

/**
 * Memory that a run needs on top of what was in use at its start; `null`: not measured.
 */
export function needIn(memory: ICellMemory): IRange | null {
  const { peak_bytes, needed_bytes } = memory;
  const peak = peakIn(memory);
  return peak === null || peak_bytes === null || needed_bytes === null
    ? null
    : raised(peak, needed_bytes - peak_bytes);
}

/** A range with an amount added to both bounds. */
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
