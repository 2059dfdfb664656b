/** Positions on the chart of a timeline, in pixels. */
import { type IEnvelope, startOf, usedAt } from './history';
import type { ITimeline } from './timeline';

/** Room for the label of the total above the plot, and for the axis below. */
const MARGIN_PX = 14;

/** Share of the width reserved for projected growth. */
const PROJECTION_SHARE = 0.16;

/**
 * Readings further apart than this, in seconds, are not connected: nothing was measured
 * in between.
 */
const GAP_S = 12;

/** Room above the highest reading of a chart without a total, as a factor. */
const AIR = 1.1;

export interface IScale {
  readonly width: number;
  readonly height: number;
  /** Right end of the readings; the projection follows. */
  readonly endX: number;
  readonly top: number;
  readonly base: number;
  readonly x: (time_s: number) => number;
  readonly y: (bytes: number) => number;
}

/** The scale of a timeline on a chart of this size. */
export function scaleOf(
  timeline: ITimeline,
  width: number,
  height: number
): IScale {
  const { axis, full_in_s } = timeline;
  const span_s = axis.end_s - axis.start_s;
  const endX = width * (full_in_s === null ? 1 : 1 - PROJECTION_SHARE);
  const top = MARGIN_PX;
  const base = height - MARGIN_PX;
  const total = totalOf(timeline);
  return {
    width,
    height,
    endX,
    top,
    base,
    x: time_s => Math.max(0, (endX * (time_s - axis.start_s)) / span_s),
    y: bytes => base - (base - top) * Math.min(1, bytes / total)
  };
}

function totalOf({ device, points }: ITimeline): number {
  const highest = points.map(point => usedAt(point) + point.cached_bytes);
  // A capacity of 0 cannot be used as a scale.
  const { capacity_bytes } = device;
  return capacity_bytes === null || capacity_bytes === 0
    ? Math.max(1, ...highest) * AIR
    : capacity_bytes;
}

/** Groups of readings that can be connected, the last extended to the end. */
export function stretches({ axis, points }: ITimeline): IEnvelope[][] {
  const pieces: IEnvelope[][] = [];
  let current: IEnvelope[] = [];
  let before_s = -Infinity;
  for (const point of points) {
    const start_s = startOf(point);
    if (start_s - before_s > GAP_S) {
      current = [];
      pieces.push(current);
    }
    current.push(point);
    before_s = start_s + point.width_s;
  }
  const last = points[points.length - 1];
  if (last && axis.end_s - before_s <= GAP_S) {
    current.push({ ...last, time_s: axis.end_s });
  }
  return pieces;
}

/** A level of the chart at a point, in bytes. */
export type Level = (point: IEnvelope) => number;

/** The area between two levels, as an SVG path. */
export function areaOf(
  points: readonly IEnvelope[],
  scale: IScale,
  lower: Level,
  upper: Level
): string {
  const at = (point: IEnvelope, bytes: number): string =>
    `${scale.x(point.time_s).toFixed(1)},${scale.y(bytes).toFixed(1)}`;
  const above = points.map(point => at(point, upper(point)));
  const below = points.map(point => at(point, lower(point))).reverse();
  return `M${[...above, ...below].join(' ')}Z`;
}

/** A label below the plot, at the left end of the span that it names. */
export interface ILabel {
  readonly text: string;
  readonly x: number;
}

/** Approximate width of a character at a font size of ten pixels. */
const CHARACTER_PX = 5.6;

/** Minimum space between labels. */
const SPACE_PX = 5;

/**
 * Choose the labels that fit: a label moves right within its span, and is dropped if it
 * would touch its neighbor.
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
