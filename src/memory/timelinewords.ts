/**
 * A timeline in words.
 */
import type { ICell } from '../protocol';
import { formatDuration, formatPrompt } from '../text/format';
import type { ITranslate } from '../text/translate';
import { describeRange } from './peak';
import { type IPeak, MINUTES_S } from './timeline';

/** "In [7]", or a description of a cell without a number. */
export function nameCell(
  { execution_count }: Pick<ICell, 'execution_count'>,
  trans: ITranslate
): string {
  return execution_count === null
    ? trans.__('a cell')
    : formatPrompt(execution_count);
}

/**
 * "peak 7.4 GiB in In [6]".
 */
export function describePeak(peak: IPeak, trans: ITranslate): string {
  const height = describeRange(peak, trans);
  const place = peak.run
    ? trans.__('%1 in %2', height, nameCell(peak.run, trans))
    : height;
  return peak.isNow ? trans.__('%1, now', place) : place;
}

/** Span of a timeline: "Whole session", "Last 5 min". */
export function nameSpan(isWhole: boolean, trans: ITranslate): string {
  return isWhole
    ? trans.__('Whole session')
    : trans.__('Last %1 min', MINUTES_S / 60);
}

/** An axis label: "−40 s", "−2.5 min", "−3.2 h", "now". */
export function nameAgo(ago_s: number, trans: ITranslate): string {
  return ago_s < 1 ? trans.__('now') : `−${formatDuration(ago_s, trans, 1)}`;
}

/** Time left as "full in about 40 s", rounded, since a forecast is not exact. */
export function formatFull(full_in_s: number, trans: ITranslate): string {
  const step_s = full_in_s < 60 ? 5 : 60;
  const about_s = Math.max(5, Math.round(full_in_s / step_s) * step_s);
  return trans.__('full in about %1', formatDuration(about_s, trans));
}
