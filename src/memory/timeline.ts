/**
 * What a timeline shows of one device: a pure function of what is known.
 */
import type { ICell, IDevice, IHistoryPoint, ITrend } from '../protocol';
import { HISTORY_S } from './history';
import { isBusy } from './model';
import type { IMemoryState } from './state';

/** The highest that was used, with the cell that used it. */
export interface IPeak {
  readonly bytes: number;
  /** False: sampled while a cell ran, it may have been higher in between. */
  readonly isExact: boolean;
  readonly run: ICell | null;
  /** It is used just now. */
  readonly isNow: boolean;
}

/** The last five minutes of one device, in seconds of the kernel's clock. */
export interface ITimeline {
  readonly device: IDevice;
  readonly now_s: number;
  /** Oldest first. */
  readonly points: readonly IHistoryPoint[];
  /** Runs of cells in these minutes, oldest first. */
  readonly runs: readonly ICell[];
  readonly peak: IPeak | null;
  /** When it is full at the present growth; `null`: it does not grow. */
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
 * @param now_s - as `clockOf` tells it
 */
export function timelineOf(
  state: IMemoryState,
  device: IDevice,
  now_s: number
): ITimeline {
  const since_s = now_s - HISTORY_S;
  const points = state.history.filter(
    ({ device_index, time_s }) =>
      device_index === device.index && time_s >= since_s
  );
  const runs = state.runs.filter(run => (run.end_s ?? now_s) >= since_s);
  const trend = trendOf(state, device);
  return {
    device,
    now_s,
    points,
    runs,
    peak: peakOf(points, runs, device, since_s, isBusy(state)),
    full_in_s: trend?.state === 'growing' ? trend.full_in_s : null
  };
}

/** Used at a point: outside and in use. */
export function usedAt({ outside_bytes, in_use_bytes }: IHistoryPoint): number {
  return (outside_bytes ?? 0) + in_use_bytes;
}

/** The run during which a moment was. */
export function runAt(runs: readonly ICell[], time_s: number): ICell | null {
  const during = runs.filter(
    ({ start_s, end_s }) => start_s <= time_s && time_s <= (end_s ?? Infinity)
  );
  return during.pop() ?? null;
}

function peakOf(
  points: readonly IHistoryPoint[],
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
    bytes: usedAt(highest),
    isExact: run === null,
    run,
    isNow: isRunning && usedAt(last) === usedAt(highest)
  };
  return runs
    .flatMap(each => countedPeak(each, device, since_s))
    .reduce((best, peak) => (peak.bytes >= best.bytes ? peak : best), sampled);
}

/** What the framework itself counted in a run, which no reading need have seen. */
function countedPeak(run: ICell, device: IDevice, since_s: number): IPeak[] {
  const memory = run.memory.find(
    ({ device_index }) => device_index === device.index
  );
  const counted = memory?.peak_bytes ?? null;
  if (!memory || counted === null || run.start_s < since_s) {
    return [];
  }
  return [
    {
      bytes: counted + (device.outside_bytes ?? 0),
      isExact: memory.peak_exact,
      run,
      isNow: false
    }
  ];
}
