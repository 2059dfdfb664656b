/**
 * The readings of a session as an envelope: the highest reading of each interval, and
 * the lowest use in it. Intervals get longer with age, so that eight hours have only a
 * few more points than five minutes.
 */
import type { IDevice, IHistoryPoint, ISample } from '../protocol';

/** The highest reading of an interval, which begins at a multiple of its width. */
export interface IEnvelope extends Omit<IHistoryPoint, 'width_s'> {
  readonly width_s: number;
}

/** The envelopes of each device by its index, oldest first. */
export type History = Readonly<Record<number, readonly IEnvelope[]>>;

/**
 * The shortest interval; readings arrive no faster unless the user is watching closely.
 */
const SHORTEST_S = 0.25;

/**
 * Ratio of an interval's age to its minimum width, by the number of points that a small
 * chart can show.
 */
const FINENESS = 150;

/** Used bytes at a point: external plus in use. */
export function usedAt({
  outside_bytes,
  in_use_bytes
}: Pick<IHistoryPoint, 'outside_bytes' | 'in_use_bytes'>): number {
  return (outside_bytes ?? 0) + in_use_bytes;
}

/** Return the history with a reading added; the same object if it shows nothing new. */
export function withReading(history: History, sample: ISample): History {
  const { time_s } = sample;
  return sample.devices.reduce((all, device) => {
    const before = all[device.index] ?? [];
    // Later points were read before the kernel's clock was set back.
    const earlier = before.filter(envelope => startOf(envelope) <= time_s);
    const after = joined([...earlier, pointOf(device, time_s)], envelope =>
      widthAt(envelope, time_s)
    );
    const last = after.length - 1;
    return after[last] === before[last] && after.length === before.length
      ? all
      : { ...all, [device.index]: after };
  }, history);
}

/** Return the history with the points that the helper keeps added. */
export function withPoints(
  history: History,
  added: readonly IHistoryPoint[]
): History {
  const all: Record<number, readonly IEnvelope[]> = { ...history };
  for (const index of new Set(added.map(point => point.device_index))) {
    const received = added.filter(point => point.device_index === index);
    const points: IEnvelope[] = [...(history[index] ?? []), ...received];
    all[index] = joined(points.sort((a, b) => a.time_s - b.time_s));
  }
  return all;
}

/**
 * Merge envelopes to a minimum width, so that there are no more than a chart can show.
 */
export function widened(
  envelopes: readonly IEnvelope[],
  width_s: number
): IEnvelope[] {
  const width = 2 ** Math.ceil(Math.log2(width_s));
  return joined(envelopes, () => width);
}

/** Start time of an envelope's interval, in seconds. */
export function startOf({ time_s, width_s }: IEnvelope): number {
  return Math.floor(time_s / width_s) * width_s;
}

function pointOf(device: IDevice, time_s: number): IEnvelope {
  const { index, in_use_bytes, cached_bytes, outside_bytes } = device;
  return {
    time_s,
    device_index: index,
    in_use_bytes,
    cached_bytes,
    outside_bytes,
    width_s: SHORTEST_S,
    low_bytes: usedAt(device)
  };
}

/**
 * Current width of an envelope, in seconds. It doubles only once the whole wider
 * interval is old enough, so that all envelopes in it are doubled together.
 */
function widthAt(
  { time_s, width_s }: Pick<IEnvelope, 'time_s' | 'width_s'>,
  now_s: number
): number {
  const wide = 2 * width_s;
  const end_s = (Math.floor(time_s / wide) + 1) * wide;
  return now_s - end_s < wide * FINENESS
    ? width_s
    : widthAt({ time_s, width_s: wide }, now_s);
}

/** Merge the envelopes of the same interval. */
function joined(
  envelopes: readonly IEnvelope[],
  widthOf: (envelope: IEnvelope) => number = ({ width_s }) => width_s
): IEnvelope[] {
  const thinned: IEnvelope[] = [];
  for (const next of envelopes) {
    const width_s = Math.max(next.width_s, widthOf(next));
    let wide = width_s === next.width_s ? next : { ...next, width_s };
    let last = thinned[thinned.length - 1];
    while (last && isJoint(last, wide)) {
      thinned.pop();
      wide = join(last, wide);
      last = thinned[thinned.length - 1];
    }
    thinned.push(wide);
  }
  return thinned;
}

/** Whether two envelopes are in the same interval, that of the wider one. */
function isJoint(one: IEnvelope, other: IEnvelope): boolean {
  const width = Math.max(one.width_s, other.width_s);
  return Math.floor(one.time_s / width) === Math.floor(other.time_s / width);
}

/** Merge two envelopes; returns the first itself if the other shows nothing new. */
function join(one: IEnvelope, other: IEnvelope): IEnvelope {
  const high = usedAt(other) > usedAt(one) ? other : one;
  const width_s = Math.max(one.width_s, other.width_s);
  const low_bytes = Math.min(one.low_bytes, other.low_bytes);
  return high.width_s === width_s && high.low_bytes === low_bytes
    ? high
    : { ...high, width_s, low_bytes };
}
