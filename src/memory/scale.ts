/**
 * Where things stand on a chart of a timeline, in pixels.
 */
import type { IHistoryPoint } from '../protocol';
import { HISTORY_S } from './history';
import { type ITimeline, usedAt } from './timeline';

/** Room for the label of the total above the plot, and for the axis below. */
const MARGIN_PX = 14;

/** Of the width, when growth is projected beyond now. */
const PROJECTION_SHARE = 0.16;

/** Readings further apart than this are not joined: nobody measured in between. */
const GAP_S = 12;

/** Of a chart without a total: room above its highest reading. */
const AIR = 1.1;

export interface IScale {
  readonly width: number;
  readonly height: number;
  /** The right end of the five minutes: now. */
  readonly nowX: number;
  readonly top: number;
  readonly base: number;
  readonly x: (time_s: number) => number;
  readonly y: (bytes: number) => number;
}

/**
 * The scale of a timeline on a chart of this size.
 */
export function scaleOf(
  timeline: ITimeline,
  width: number,
  height: number
): IScale {
  const { now_s, full_in_s } = timeline;
  const nowX = width * (full_in_s === null ? 1 : 1 - PROJECTION_SHARE);
  const top = MARGIN_PX;
  const base = height - MARGIN_PX;
  const total = totalOf(timeline);
  return {
    width,
    height,
    nowX,
    top,
    base,
    x: time_s => Math.max(0, nowX * (1 - (now_s - time_s) / HISTORY_S)),
    y: bytes => base - (base - top) * Math.min(1, bytes / total)
  };
}

function totalOf({ device, points }: ITimeline): number {
  const highest = points.map(point => usedAt(point) + point.cached_bytes);
  // A capacity of 0 is none that anything could be measured by.
  const { capacity_bytes } = device;
  return capacity_bytes === null || capacity_bytes === 0
    ? Math.max(1, ...highest) * AIR
    : capacity_bytes;
}

/**
 * Readings that can be joined, the last of them as far as now.
 */
export function stretches({ points, now_s }: ITimeline): IHistoryPoint[][] {
  const found: IHistoryPoint[][] = [];
  let before_s = -Infinity;
  for (const point of points) {
    if (point.time_s - before_s > GAP_S) {
      found.push([]);
    }
    found[found.length - 1]?.push(point);
    before_s = point.time_s;
  }
  const last = points[points.length - 1];
  if (last && now_s - last.time_s <= GAP_S) {
    found[found.length - 1]?.push({ ...last, time_s: now_s });
  }
  return found;
}

/** The area between two levels, as the path of an SVG. */
export function areaOf(
  points: readonly IHistoryPoint[],
  scale: IScale,
  lower: (point: IHistoryPoint) => number,
  upper: (point: IHistoryPoint) => number
): string {
  const at = (point: IHistoryPoint, bytes: number): string =>
    `${scale.x(point.time_s).toFixed(1)},${scale.y(bytes).toFixed(1)}`;
  const above = points.map(point => at(point, upper(point)));
  const below = points.map(point => at(point, lower(point))).reverse();
  return `M${[...above, ...below].join(' ')}Z`;
}

/** A label below the plot, at the left end of what it names. */
export interface ILabel {
  readonly text: string;
  readonly x: number;
}

/** About the width of a character of ten pixels. */
const CHARACTER_PX = 5.6;

/** Between labels at least. */
const SPACE_PX = 5;

/**
 * The labels that fit: one moves to the right within what it names, and is
 * dropped where it would touch its neighbour.
 *
 * @param spans - text with the left and right end of what it names
 * @param from - where the first may begin
 * @param to - where the last must end
 */
export function fitLabels(
  spans: readonly (readonly [text: string, left: number, right: number])[],
  from: number,
  to: number
): ILabel[] {
  const labels: ILabel[] = [];
  let free = from;
  for (const [text, left, right] of spans) {
    const x = Math.max(left, free);
    const end = x + text.length * CHARACTER_PX;
    if ((x === left || end <= right) && end <= to) {
      labels.push({ text, x });
      free = end + SPACE_PX;
    }
  }
  return labels;
}
