/**
 * A timeline and its trend in words.
 */
import type { ICell, ITrend } from '../protocol';
import { formatBytes, formatPrompt, GIB, MIB } from '../text/format';
import { nameSize } from '../text/names';
import type { ITranslate } from '../text/translate';
import { MINUTES_S } from './axis';
import type { IEnvelope } from './history';
import { describeRange } from './peak';
import { type IPeak, type ITimeline, runAt } from './timeline';

/** "In [7]", or what can be said of a cell without a number. */
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

/** What a timeline shows: "Whole session", "Last 5 min". */
export function nameSpan(isWhole: boolean, trans: ITranslate): string {
  return isWhole
    ? trans.__('Whole session')
    : trans.__('Last %1 min', MINUTES_S / 60);
}

/** How long ago as an axis says it: "−40 s", "−2.5 min", "−3.2 h", "now". */
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

/**
 * One moment with its four numbers: "In [7], 32 s ago: tensors 8.8 GiB, …". Of a
 * stretch of time it is the highest reading, and says so.
 */
export function describePoint(
  timeline: ITimeline,
  point: IEnvelope,
  trans: ITranslate
): string {
  const { device, runs } = timeline;
  const run = runAt(runs, point.time_s);
  const moment = describeMoment(timeline, point, trans);
  const size = (bytes: number | null): string => nameSize(bytes, trans);
  const free =
    device.capacity_bytes === null || point.outside_bytes === null
      ? null
      : device.capacity_bytes -
        point.outside_bytes -
        point.in_use_bytes -
        point.cached_bytes;
  return trans.__(
    '%1: in tensors %2, unused cache %3, outside %4, free %5',
    run ? `${nameCell(run, trans)}, ${moment}` : moment,
    size(point.in_use_bytes),
    size(point.cached_bytes),
    size(point.outside_bytes),
    size(free === null ? null : Math.max(0, free))
  );
}

function describeMoment(
  { now_s }: ITimeline,
  { low_bytes, time_s, width_s }: IEnvelope,
  trans: ITranslate
): string {
  const ago_s = Math.max(0, Math.round(now_s - time_s));
  const minutes = Math.floor(ago_s / 60);
  const moment =
    ago_s < 60
      ? trans.__('%1 s ago', ago_s)
      : minutes < 60
        ? trans.__('%1 min %2 s ago', minutes, ago_s % 60)
        : trans.__('%1 h %2 min ago', Math.floor(minutes / 60), minutes % 60);
  return width_s < 2
    ? moment
    : trans.__(
        '%1, the highest of %2 s that used %3 at least',
        moment,
        width_s,
        formatBytes(low_bytes)
      );
}

/**
 * What is left as "full in about 40 s": a forecast is no more exact than that.
 */
export function formatFull(full_in_s: number, trans: ITranslate): string {
  const seconds = Math.round(full_in_s / 5) * 5;
  if (seconds < 5) {
    return trans.__('full in a few seconds');
  }
  return seconds < 60
    ? trans.__('full in about %1 s', seconds)
    : trans.__('full in about %1 min', Math.round(full_in_s / 60));
}

/** Where memory goes, as a headline with what it rests on. */
export interface ITrendWords {
  readonly headline: string;
  /** Empty where nothing is to be added. */
  readonly detail: string;
}

/**
 * The trend of a running cell: growing, steady, or not known yet.
 */
export function describeTrend(
  trend: ITrend,
  cell: ICell | null,
  trans: ITranslate
): ITrendWords {
  switch (trend.state) {
    case 'growing':
      return {
        headline: describeGrowth(trend, trans),
        detail: describeEvidence(trend, cell, trans)
      };
    case 'steady':
      return {
        headline: trend.steps
          ? trans.__('Steady: no growth over the last %1 steps.', trend.steps)
          : trans.__('Steady: no growth while this cell runs.'),
        detail: ''
      };
    case 'unknown':
      return { headline: trans.__('Not enough data yet.'), detail: '' };
  }
}

/** A size of which "0.1 GiB" would say too little. */
function formatFine(bytes: number): string {
  return bytes >= MIB && bytes < GIB
    ? `${Math.round(bytes / MIB)} MiB`
    : formatBytes(bytes);
}

/** "+120 MiB per step — full in about 40 s". */
function describeGrowth(trend: ITrend, trans: ITranslate): string {
  const { bytes_per_step, bytes_per_s, full_in_s } = trend;
  const growth =
    bytes_per_step === null
      ? trans.__('+%1 per second', formatFine(bytes_per_s ?? 0))
      : trans.__('+%1 per step', formatFine(bytes_per_step));
  return full_in_s === null
    ? growth
    : trans.__('%1 — %2', growth, formatFull(full_in_s, trans));
}

/** "From 43 steps of In [7], about 1 step per second." */
function describeEvidence(
  { steps, bytes_per_s, bytes_per_step }: ITrend,
  cell: ICell | null,
  trans: ITranslate
): string {
  const name = nameCell(cell ?? { execution_count: null }, trans);
  if (!steps) {
    return trans.__('From the readings while %1 ran.', name);
  }
  const source = trans.__('From %1 steps of %2', steps, name);
  if (!bytes_per_s || !bytes_per_step) {
    return `${source}.`;
  }
  const rate = bytes_per_s / bytes_per_step;
  return rate >= 0.95
    ? trans.__('%1, about %2 per second.', source, Math.round(rate))
    : trans.__('%1, about one every %2 s.', source, Math.round(1 / rate));
}
