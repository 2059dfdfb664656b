/**
 * A timeline in words.
 */
import type { ICell } from '../protocol';
import { formatPrompt } from '../text/format';
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
  const about = (size: number): number => Number(size.toFixed(1));
  if (ago_s < 1) {
    return trans.__('now');
  }
  if (ago_s < 60) {
    return trans.__('−%1 s', Math.floor(ago_s));
  }
  return ago_s < 3600
    ? trans.__('−%1 min', about(ago_s / 60))
    : trans.__('−%1 h', about(ago_s / 3600));
}

/** Time left as "full in about 40 s", rounded, since a forecast is not exact. */
export function formatFull(full_in_s: number, trans: ITranslate): string {
  const seconds = Math.round(full_in_s / 5) * 5;
  if (seconds < 5) {
    return trans.__('full in a few seconds');
  }
  return seconds < 60
    ? trans.__('full in about %1 s', seconds)
    : trans.__('full in about %1 min', Math.round(full_in_s / 60));
}
