/**
 * The readings of a session as an envelope: of each stretch of time the highest
 * reading, and how low it was. The longer ago, the longer the stretches, so that
 * eight hours are few more points than five minutes.
 */
import type { IDevice, IHistoryPoint, ISample } from '../protocol';

/** The highest reading of a stretch of time, which begins at a multiple of its width. */
export interface IEnvelope extends Omit<IHistoryPoint, 'width_s'> {
  readonly width_s: number;
}

/** The envelopes of each device by its index, oldest first. */
export type History = Readonly<Record<number, readonly IEnvelope[]>>;

/** The shortest stretch: readings come no faster where nobody looks closely. */
const SHORTEST_S = 0.25;

/** Stretches that a time ago takes at least: as many as a small chart can show. */
const FINENESS = 150;

/** Used at a point: outside and in use. */
export function usedAt({
  outside_bytes,
  in_use_bytes
}: Pick<IHistoryPoint, 'outside_bytes' | 'in_use_bytes'>): number {
  return (outside_bytes ?? 0) + in_use_bytes;
}

/**
 * The history with a reading added; the same object when it shows nothing new.
 */
export function withReading(history: History, sample: ISample): History {
  const { time_s } = sample;
  return sample.devices.reduce((all, device) => {
    const before = all[device.index] ?? [];
    // What is later was read before the kernel's clock was set back.
    const known = before.filter(each => startOf(each) <= time_s);
    const after = joined([...known, pointOf(device, time_s)], each =>
      widthAt(each, time_s)
    );
    const last = after.length - 1;
    return after[last] === before[last] && after.length === before.length
      ? all
      : { ...all, [device.index]: after };
  }, history);
}

/**
 * The history with what the helper remembers.
 */
export function withPoints(
  history: History,
  added: readonly IHistoryPoint[]
): History {
  const all: Record<number, readonly IEnvelope[]> = { ...history };
  for (const index of new Set(added.map(point => point.device_index))) {
    const told = added.filter(point => point.device_index === index);
    const known: IEnvelope[] = [...(history[index] ?? []), ...told];
    all[index] = joined(known.sort((a, b) => a.time_s - b.time_s));
  }
  return all;
}

/**
 * Envelopes as ones of about a width at least: no more than a chart can show.
 */
export function widened(
  envelopes: readonly IEnvelope[],
  width_s: number
): IEnvelope[] {
  const width = 2 ** Math.ceil(Math.log2(width_s));
  return joined(envelopes, () => width);
}

/** When the stretch of an envelope begins. */
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
 * How wide an envelope is to be by now. It is doubled only once all of the wider
 * stretch is that old, so that all envelopes in it are doubled together.
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

/** The envelopes, those of one stretch as one. */
function joined(
  envelopes: readonly IEnvelope[],
  widthOf: (each: IEnvelope) => number = each => each.width_s
): IEnvelope[] {
  const kept: IEnvelope[] = [];
  for (const each of envelopes) {
    const width_s = Math.max(each.width_s, widthOf(each));
    let wide = width_s === each.width_s ? each : { ...each, width_s };
    let last = kept[kept.length - 1];
    while (last && isJoint(last, wide)) {
      kept.pop();
      wide = join(last, wide);
      last = kept[kept.length - 1];
    }
    kept.push(wide);
  }
  return kept;
}

/** Whether two are of the same stretch, that of the wider one. */
function isJoint(one: IEnvelope, other: IEnvelope): boolean {
  const width = Math.max(one.width_s, other.width_s);
  return Math.floor(one.time_s / width) === Math.floor(other.time_s / width);
}

/** Both as one; the first itself where the other shows nothing new. */
function join(one: IEnvelope, other: IEnvelope): IEnvelope {
  const high = usedAt(other) > usedAt(one) ? other : one;
  const width_s = Math.max(one.width_s, other.width_s);
  const low_bytes = Math.min(one.low_bytes, other.low_bytes);
  return high.width_s === width_s && high.low_bytes === low_bytes
    ? high
    : { ...high, width_s, low_bytes };
}
