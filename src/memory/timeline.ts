/** The timeline of one device: a pure function of the state. */
import type { ICell, IDevice, ITrend } from '../protocol';
import { type IEnvelope, startOf, usedAt, widened } from './history';
import { isBusy } from './model';
import { type IRange, peakIn, raised } from './peak';
import type { IMemoryState } from './state';

/** The highest use, with the cell that had it. */
export interface IPeak extends IRange {
  readonly run: ICell | null;
  /** The peak is the current use. */
  readonly isNow: boolean;
}

/** Length of "last minutes", in seconds. */
export const MINUTES_S = 300;

/** Minimum time shown of a session that has just begun, in seconds. */
const SHORTEST_S = 30;

/** The time shown, in seconds of the kernel's clock; it ends now. */
interface IAxis {
  readonly start_s: number;
  readonly end_s: number;
}

/** Approximate maximum number of intervals of a timeline. */
const STRETCHES = 300;

/** A part of a session on one device, in seconds of the kernel's clock. */
export interface ITimeline {
  readonly device: IDevice;
  readonly now_s: number;
  readonly axis: IAxis;
  /** Oldest first. */
  readonly points: readonly IEnvelope[];
  /** Runs of cells in it, oldest first. */
  readonly runs: readonly ICell[];
  readonly peak: IPeak | null;
  /**
   * Time until it is full at the present growth, in seconds; `null`: it does not grow.
   */
  readonly full_in_s: number | null;
}

/**
 * The kernel's clock now, in seconds; `null` before its first reading.
 *
 * @param now - milliseconds of this page's clock
 */
export function clockOf(state: IMemoryState, now: number): number | null {
  const { sample, sampleAt_ms } = state;
  return sample && sampleAt_ms !== null
    ? sample.time_s + (now - sampleAt_ms) / 1000
    : null;
}

/** The trend of a device while a cell runs; `null` at rest. */
export function trendOf(state: IMemoryState, device: IDevice): ITrend | null {
  const trends = state.sample?.trends ?? [];
  return trends.find(trend => trend.device_index === device.index) ?? null;
}

/**
 * The timeline of a device.
 *
 * @param now_s - as `clockOf` returns it
 * @param isWhole - whether to include the whole session instead of the last minutes
 */
export function timelineOf(
  state: IMemoryState,
  device: IDevice,
  now_s: number,
  isWhole = true
): ITimeline {
  const envelopes = state.history[device.index] ?? [];
  const [first] = envelopes;
  const age_s = Math.max(SHORTEST_S, first ? now_s - startOf(first) : 0);
  const shown_s = isWhole ? age_s : Math.min(MINUTES_S, age_s);
  const axis = { start_s: now_s - shown_s, end_s: now_s };
  const points = widened(
    envelopes.filter(({ time_s }) => isWithin(time_s, time_s, axis)),
    shown_s / STRETCHES
  );
  const runs = state.runs.filter(run =>
    isWithin(run.start_s, run.end_s ?? now_s, axis)
  );
  const trend = trendOf(state, device);
  const isGrowing = trend?.state === 'growing';
  return {
    device,
    now_s,
    axis,
    points,
    runs,
    peak: peakOf(points, runs, device, axis.start_s, isBusy(state)),
    full_in_s: isGrowing ? trend.full_in_s : null
  };
}

function isWithin(from_s: number, to_s: number, axis: IAxis): boolean {
  return from_s <= axis.end_s && to_s >= axis.start_s;
}

/** The run that includes a point in time. */
export function runAt(runs: readonly ICell[], time_s: number): ICell | null {
  const during = runs.filter(
    ({ start_s, end_s }) => start_s <= time_s && time_s <= (end_s ?? Infinity)
  );
  return during.pop() ?? null;
}

function peakOf(
  points: readonly IEnvelope[],
  runs: readonly ICell[],
  device: IDevice,
  since_s: number,
  isRunning: boolean
): IPeak | null {
  const [first, ...rest] = points;
  if (!first) {
    return null;
  }
  const highest = rest.reduce(
    (best, point) => (usedAt(point) > usedAt(best) ? point : best),
    first
  );
  const last = points[points.length - 1] ?? first;
  const run = runAt(runs, highest.time_s);
  const sampled: IPeak = {
    least_bytes: usedAt(highest),
    most_bytes: run === null ? usedAt(highest) : null,
    run,
    isNow: isRunning && usedAt(last) === usedAt(highest)
  };
  const counted = runs.flatMap(cell => countedPeak(cell, device, since_s));
  const best = counted.reduce(
    (top, peak) => (peak.least_bytes >= top.least_bytes ? peak : top),
    sampled
  );
  // Another run may have had a higher peak than the highest reading.
  const mosts = [best, ...counted].map(({ most_bytes }) => most_bytes);
  return { ...best, most_bytes: mosts.reduce(higher) };
}

function higher(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.max(one, other);
}

/** Peak counted by the framework in a run, which may be missing from the readings. */
function countedPeak(run: ICell, device: IDevice, since_s: number): IPeak[] {
  const memory = run.memory.find(
    ({ device_index }) => device_index === device.index
  );
  const counted = memory ? peakIn(memory) : null;
  return counted === null || run.start_s < since_s
    ? []
    : [{ ...raised(counted, device.outside_bytes ?? 0), run, isNow: false }];
}
