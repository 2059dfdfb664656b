/**
 * The readings of the last minutes: of each second and device the highest.
 */
import type { IDevice, IHistoryPoint, ISample } from '../protocol';

/** How long readings are kept, in seconds of the kernel's clock. */
export const HISTORY_S = 300;

/**
 * The history with a reading added; the same array when it shows nothing higher.
 */
export function withReading(
  history: readonly IHistoryPoint[],
  sample: ISample
): readonly IHistoryPoint[] {
  const past = upTo(history, sample.time_s);
  const news = sample.devices
    .map(device => pointOf(device, sample.time_s))
    .filter(point => {
      const known = past.find(each => isSameSecond(each, point));
      return !known || isHigher(point, known);
    });
  return news.length > 0 ? merge(past, news) : past;
}

/** Without what is later: then the kernel's clock was set back. */
function upTo(
  history: readonly IHistoryPoint[],
  time_s: number
): readonly IHistoryPoint[] {
  const isPast = (point: IHistoryPoint): boolean =>
    Math.floor(point.time_s) <= Math.floor(time_s);
  return history.every(isPast) ? history : history.filter(isPast);
}

/**
 * The history with what the helper remembers; of the same second the higher counts.
 */
export function withPoints(
  history: readonly IHistoryPoint[],
  added: readonly IHistoryPoint[]
): readonly IHistoryPoint[] {
  return added.length > 0 ? merge(history, added) : history;
}

function pointOf(device: IDevice, time_s: number): IHistoryPoint {
  const { index, in_use_bytes, cached_bytes, outside_bytes } = device;
  return {
    time_s,
    device_index: index,
    in_use_bytes,
    cached_bytes,
    outside_bytes
  };
}

function merge(
  history: readonly IHistoryPoint[],
  added: readonly IHistoryPoint[]
): IHistoryPoint[] {
  const highest = new Map<string, IHistoryPoint>();
  for (const point of [...history, ...added]) {
    const key = `${point.device_index} ${Math.floor(point.time_s)}`;
    const known = highest.get(key);
    if (!known || isHigher(point, known)) {
      highest.set(key, point);
    }
  }
  const points = [...highest.values()].sort((a, b) => a.time_s - b.time_s);
  const since_s = (points[points.length - 1]?.time_s ?? 0) - HISTORY_S;
  return points.filter(point => point.time_s >= since_s);
}

function isSameSecond(one: IHistoryPoint, other: IHistoryPoint): boolean {
  return (
    one.device_index === other.device_index &&
    Math.floor(one.time_s) === Math.floor(other.time_s)
  );
}

function isHigher(one: IHistoryPoint, other: IHistoryPoint): boolean {
  return one.in_use_bytes > other.in_use_bytes;
}
