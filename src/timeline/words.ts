/** Texts of a timeline's points and trend. */
import type { IEnvelope } from '../memory/history';
import { type ITimeline, runAt } from '../memory/timeline';
import { formatFull, nameAgo, nameCell } from '../memory/timelinewords';
import type { ITrend } from '../protocol';
import { formatBytes, GIB, MIB } from '../text/format';
import { nameSize } from '../text/names';
import type { ITranslate } from '../text/translate';

/**
 * One point with its four numbers: "In [7], −32 s: tensors 8.8 GiB, …". For an interval
 * it is the highest reading, and labeled so.
 */
export function describePoint(
  { device, now_s, runs }: ITimeline,
  point: IEnvelope,
  trans: ITranslate
): string {
  const { in_use_bytes, cached_bytes, outside_bytes, time_s, width_s } = point;
  const run = runAt(runs, time_s);
  const ago = nameAgo(now_s - time_s, trans);
  const moment = run ? `${nameCell(run, trans)}, ${ago}` : ago;
  const free =
    device.capacity_bytes === null || outside_bytes === null
      ? null
      : device.capacity_bytes - outside_bytes - in_use_bytes - cached_bytes;
  return trans.__(
    '%1: in tensors %2, unused cache %3, outside %4, free %5',
    width_s < 2
      ? moment
      : trans.__(
          '%1, the highest of %2 s that used %3 at least',
          moment,
          width_s,
          formatBytes(point.low_bytes)
        ),
    formatBytes(in_use_bytes),
    formatBytes(cached_bytes),
    nameSize(outside_bytes, trans),
    nameSize(free === null ? null : Math.max(0, free), trans)
  );
}

/** A size for which "0.1 GiB" would be too coarse. */
function formatFine(bytes: number): string {
  return bytes >= MIB && bytes < GIB
    ? `${Math.round(bytes / MIB)} MiB`
    : formatBytes(bytes);
}

/** "+120 MiB per step — full in about 40 s". */
export function describeGrowth(trend: ITrend, trans: ITranslate): string {
  const { bytes_per_step, bytes_per_s, full_in_s } = trend;
  const growth =
    bytes_per_step === null
      ? trans.__('+%1 per second', formatFine(bytes_per_s ?? 0))
      : trans.__('+%1 per step', formatFine(bytes_per_step));
  return full_in_s === null
    ? growth
    : trans.__('%1 — %2', growth, formatFull(full_in_s, trans));
}
