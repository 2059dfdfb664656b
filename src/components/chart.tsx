import * as React from 'react';

import { usedAt } from '../memory/history';
import {
  areaOf,
  fitLabels,
  type IScale,
  type Level,
  scaleOf,
  stretches
} from '../memory/scale';
import type { ITimeline } from '../memory/timeline';
import { describePeak, nameAgo, nameCell } from '../memory/timelinewords';
import type { ICell } from '../protocol';
import { formatBytes } from '../text/format';
import type { ITranslate } from '../text/translate';
import { Outline } from './icon';

interface IChartProps {
  timeline: ITimeline;
  /** Id of the pattern within the chart, unique in its document. */
  id: string;
  width: number;
  height: number;
  trans: ITranslate;
}

interface ILayerProps extends IChartProps {
  scale: IScale;
}

/** Width reserved for the labels at the ends of the axis, in pixels. */
const ENDS_PX = 48;

/** Size of the octagon above a failure, in pixels. */
const MARK_PX = 12;

/** Title of a chart, with its peak. */
export function ChartTitle(props: {
  title: React.ReactNode;
  timeline: ITimeline;
  trans: ITranslate;
}): React.JSX.Element {
  const { title, timeline, trans } = props;
  const { peak } = timeline;
  return (
    <div className="jp-GpuHeadroom-timelineTitle">
      <h3>{title}</h3>
      {peak && <span>{describePeak(peak, trans)}</span>}
    </div>
  );
}

/** A part of a session as stacked areas, in the order of the bar. */
export function Chart(props: IChartProps): React.JSX.Element {
  const { timeline, width, height } = props;
  const layer = { ...props, scale: scaleOf(timeline, width, height) };
  return (
    <svg
      className="jp-GpuHeadroom-plot"
      aria-hidden="true"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      <Cells {...layer} />
      <Areas {...layer} />
      <Frame {...layer} />
      <Failures {...layer} />
      <Labels {...layer} />
    </svg>
  );
}

/** A line from one point to another. */
function Line(props: {
  className?: string;
  from: readonly [x: number, y: number];
  to: readonly [x: number, y: number];
}): React.JSX.Element {
  const { className, from, to } = props;
  const [x1, y1] = from;
  const [x2, y2] = to;
  return <line className={className} x1={x1} x2={x2} y1={y1} y2={y2} />;
}

/** A band for each run of a cell. */
function Cells({ timeline, scale }: ILayerProps): React.JSX.Element {
  const { top, base } = scale;
  return (
    <>
      {timeline.runs.map(run => {
        const [left, right] = endsOf(run, timeline, scale);
        return (
          <React.Fragment key={`${run.cell_id} ${run.start_s}`}>
            <rect
              className="jp-mod-cell"
              x={left}
              y={top}
              width={Math.max(1, right - left)}
              height={base - top}
            />
            <Line
              className="jp-mod-edge"
              from={[left, base]}
              to={[left, base + 4]}
            />
          </React.Fragment>
        );
      })}
    </>
  );
}

function endsOf(
  { start_s, end_s }: ICell,
  { axis }: ITimeline,
  scale: IScale
): [left: number, right: number] {
  return [scale.x(start_s), scale.x(Math.min(end_s ?? axis.end_s, axis.end_s))];
}

/**
 * External, tensors and cached from the bottom; the rest is free. An interval shows its
 * highest reading, paler above its lowest use.
 */
function Areas({ timeline, scale, id }: ILayerProps): React.JSX.Element {
  const bottom: Level = () => 0;
  const outside: Level = ({ outside_bytes }) => outside_bytes ?? 0;
  const least: Level = point => Math.max(outside(point), point.low_bytes);
  const reserved: Level = point => usedAt(point) + point.cached_bytes;
  return (
    <>
      <pattern
        id={id}
        width="4"
        height="4"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(-45)"
      >
        <path className="jp-mod-hatch" d="M0 2h4" />
      </pattern>
      {stretches(timeline).map(points => (
        <React.Fragment key={points[0]?.time_s}>
          <path
            className="jp-mod-outside"
            d={areaOf(points, scale, bottom, outside)}
          />
          <path
            className="jp-mod-tensors"
            d={areaOf(points, scale, outside, least)}
          />
          <path
            className="jp-mod-swing"
            d={areaOf(points, scale, least, usedAt)}
          />
          <path
            fill={`url(#${id})`}
            d={areaOf(points, scale, usedAt, reserved)}
          />
        </React.Fragment>
      ))}
    </>
  );
}

/** Lines of the total, the base, the middle, the peak, and the projected growth. */
function Frame({ timeline, scale }: ILayerProps): React.JSX.Element {
  const { width, top, base } = scale;
  const { device, peak } = timeline;
  const across = (name: string, y: number, end = width): React.JSX.Element => (
    <Line className={name} from={[0, y]} to={[end, y]} />
  );
  return (
    <>
      {across('jp-mod-grid', (top + base) / 2)}
      {device.capacity_bytes !== null && across('jp-mod-total', top)}
      {across('jp-mod-edge', base)}
      {peak &&
        timeline.full_in_s === null &&
        across('jp-mod-peak', scale.y(peak.least_bytes), scale.endX)}
      <Projection timeline={timeline} scale={scale} />
    </>
  );
}

function Projection({
  timeline,
  scale
}: Pick<ILayerProps, 'timeline' | 'scale'>): React.JSX.Element | null {
  const { now_s, full_in_s, points } = timeline;
  const last = points[points.length - 1];
  if (full_in_s === null || !last) {
    return null;
  }
  const { endX, width, top, base } = scale;
  const y = scale.y(usedAt(last));
  const slope = (top - y) / Math.max(1, scale.x(now_s + full_in_s) - endX);
  const end = Math.min(width, scale.x(now_s + full_in_s));
  return (
    <>
      <Line className="jp-mod-edge" from={[endX, top]} to={[endX, base + 4]} />
      <Line
        className="jp-mod-projection"
        from={[endX, y]}
        to={[end, y + slope * (end - endX)]}
      />
    </>
  );
}

/** A mark at each point where a cell ran out of memory. */
function Failures({ timeline, scale }: ILayerProps): React.JSX.Element {
  const failed = timeline.runs.filter(({ status }) => status === 'oom');
  return (
    <>
      {failed.map(run => {
        const [, x] = endsOf(run, timeline, scale);
        const left = Math.min(x - MARK_PX / 2, scale.width - MARK_PX);
        return (
          <g key={run.start_s} className="jp-mod-failure">
            <Line from={[x, MARK_PX]} to={[x, scale.base]} />
            <g transform={`translate(${left} 0) scale(${MARK_PX / 16})`}>
              <Outline name="octagon" />
            </g>
          </g>
        );
      })}
    </>
  );
}

function Labels(props: ILayerProps): React.JSX.Element {
  const { timeline, scale, height, trans } = props;
  const { capacity_bytes } = timeline.device;
  const { axis, now_s } = timeline;
  const spans = timeline.runs.map(
    run => [nameCell(run, trans), ...endsOf(run, timeline, scale)] as const
  );
  const y = height - 2;
  return (
    <>
      {capacity_bytes !== null && (
        <text y={10}>{formatBytes(capacity_bytes)}</text>
      )}
      <text y={y}>{nameAgo(now_s - axis.start_s, trans)}</text>
      {fitLabels(spans, ENDS_PX, scale.endX - ENDS_PX).map(({ text, x }) => (
        <text key={x} x={x} y={y}>
          {text}
        </text>
      ))}
      <text x={scale.endX} y={y} style={{ textAnchor: 'end' }}>
        {nameAgo(0, trans)}
      </text>
    </>
  );
}
