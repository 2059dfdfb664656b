/**
 * The moments of a timeline and its trend in words.
 */
import type { IEnvelope } from '../memory/history';
import { type ITimeline, runAt } from '../memory/timeline';
import { formatFull, nameCell } from '../memory/timelinewords';
import type { ICell, ITrend } from '../protocol';
import { formatBytes, GIB, MIB } from '../text/format';
import { nameSize } from '../text/names';
import type { ITranslate } from '../text/translate';

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
