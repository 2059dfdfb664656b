import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { PATHS } from '../components/dom/icon';
import {
  areaOf,
  fitLabels,
  type IScale,
  scaleOf,
  stretches
} from '../memory/scale';
import { type ITimeline, usedAt } from '../memory/timeline';
import { nameCell } from '../memory/timelinewords';
import type { ICell, IHistoryPoint } from '../protocol';
import { formatBytes } from '../text/format';

interface IPlotProps {
  timeline: ITimeline;
  width: number;
  height: number;
  trans: TranslationBundle;
}

interface ILayerProps extends IPlotProps {
  scale: IScale;
}

/** The octagon above the moment of a failure, in pixels. */
const MARK_PX = 12;

/**
 * The last five minutes of a device as stacked areas, in the order of the bar.
 *
 * Drawn anew only when its timeline changes.
 */
export const Plot = React.memo(Chart);

function Chart(props: IPlotProps): React.JSX.Element {
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
  { now_s }: ITimeline,
  scale: IScale
): [left: number, right: number] {
  return [scale.x(start_s), scale.x(Math.min(end_s ?? now_s, now_s))];
}

/** Outside, tensors and cached from the bottom; the rest is free. */
function Areas({ timeline, scale }: ILayerProps): React.JSX.Element {
  const id = React.useId();
  const bottom = (): number => 0;
  const outside = ({ outside_bytes }: IHistoryPoint): number =>
    outside_bytes ?? 0;
  const reserved = (point: IHistoryPoint): number =>
    usedAt(point) + point.cached_bytes;
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
            d={areaOf(points, scale, outside, usedAt)}
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

/** The total, the ground, half-way, the peak, and where growth leads. */
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
        across('jp-mod-peak', scale.y(peak.bytes), scale.nowX)}
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
  const { nowX, width, top, base } = scale;
  const y = scale.y(usedAt(last));
  const slope = (top - y) / Math.max(1, scale.x(now_s + full_in_s) - nowX);
  const end = Math.min(width, scale.x(now_s + full_in_s));
  return (
    <>
      <Line className="jp-mod-edge" from={[nowX, top]} to={[nowX, base + 4]} />
      <Line
        className="jp-mod-projection"
        from={[nowX, y]}
        to={[end, y + slope * (end - nowX)]}
      />
    </>
  );
}

/** Where a cell ran out of memory. */
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
            <path
              fillRule="evenodd"
              transform={`translate(${left} 0) scale(${MARK_PX / 16})`}
              d={PATHS.octagon.join('')}
            />
          </g>
        );
      })}
    </>
  );
}

function Labels(props: ILayerProps): React.JSX.Element {
  const { timeline, scale, height, trans } = props;
  const { capacity_bytes } = timeline.device;
  const start = trans.__('−5 min');
  const now = trans.__('now');
  const spans = timeline.runs.map(
    run => [nameCell(run, trans), ...endsOf(run, timeline, scale)] as const
  );
  const y = height - 2;
  return (
    <>
      {capacity_bytes !== null && (
        <text y={10}>{formatBytes(capacity_bytes)}</text>
      )}
      <text y={y}>{start}</text>
      {fitLabels(spans, 40, scale.nowX - 26).map(({ text, x }) => (
        <text key={x} x={x} y={y}>
          {text}
        </text>
      ))}
      <text x={scale.nowX} y={y} textAnchor="end">
        {now}
      </text>
    </>
  );
}
