import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { HISTORY_S } from '../memory/history';
import { type IScale, scaleOf } from '../memory/scale';
import type { IMemoryState } from '../memory/state';
import { clockOf, type ITimeline, timelineOf } from '../memory/timeline';
import { describePeak, describePoint } from '../memory/timelinewords';
import type { IDevice, IHistoryPoint } from '../protocol';
import { Plot } from './plot';

interface ITimelineProps {
  state: IMemoryState;
  device: IDevice;
  /** "Last 5 minutes", in the words of the place. */
  title: string;
  /** In pixels, as is the height. */
  width: number;
  height: number;
  trans: TranslationBundle;
}

/**
 * The last five minutes of one device: a chart, its peak, and each moment in
 * numbers under the pointer or by ← and →.
 */
export function Timeline(props: ITimelineProps): React.JSX.Element | null {
  const { state, device, title, trans } = props;
  const timeline = useTimeline(state, device);
  if (!timeline) {
    return null;
  }
  const { peak } = timeline;
  return (
    <>
      <div className="jp-GpuHeadroom-timelineTitle">
        <h3>{title}</h3>
        {peak && <span>{describePeak(peak, trans)}</span>}
      </div>
      <Readable {...props} timeline={timeline} />
    </>
  );
}

/** A new one only when it would look different: once a second, or on news. */
function useTimeline(state: IMemoryState, device: IDevice): ITimeline | null {
  const { history, runs, sample } = state;
  const now_s = clockOf(state, Date.now());
  const second = now_s === null ? null : Math.floor(now_s);
  return React.useMemo(
    () => (now_s === null ? null : timelineOf(state, device, now_s)),
    // What a timeline shows of the state; readings within a second change little.
    [history, runs, sample?.life_id, device.index, second]
  );
}

/** The chart, with a line at the moment that is read. */
function Readable(
  props: ITimelineProps & { timeline: ITimeline }
): React.JSX.Element {
  const { timeline, title, width, height, trans } = props;
  const { points } = timeline;
  const [time_s, read] = React.useState<number | null>(null);
  const forget = (): void => {
    read(null);
  };
  const scale = scaleOf(timeline, width, height);
  const point = time_s === null ? null : nearest(points, time_s);
  const latest = points[points.length - 1] ?? null;
  const told = point ?? latest;
  return (
    <div
      className="jp-GpuHeadroom-timeline"
      role="slider"
      tabIndex={0}
      aria-label={title}
      aria-valuemin={-HISTORY_S}
      aria-valuemax={0}
      aria-valuenow={told ? Math.round(told.time_s - timeline.now_s) : 0}
      aria-valuetext={told ? describePoint(timeline, told, trans) : ''}
      onKeyDown={event => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (step && told) {
          event.preventDefault();
          read(points[points.indexOf(told) + step]?.time_s ?? told.time_s);
        }
      }}
      onBlur={forget}
      onMouseMove={event => {
        read(momentAt(event, timeline, scale));
      }}
      onMouseLeave={forget}
    >
      <Plot timeline={timeline} width={width} height={height} trans={trans} />
      {point && <Moment {...{ timeline, point, scale, trans }} />}
    </div>
  );
}

/** The line at a moment, with its numbers on the side that has room. */
function Moment(props: {
  timeline: ITimeline;
  point: IHistoryPoint;
  scale: IScale;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { timeline, point, scale, trans } = props;
  const x = scale.x(point.time_s);
  const isLeft = x > scale.width / 2;
  return (
    <>
      <span
        className="jp-GpuHeadroom-moment"
        style={{ left: x, top: scale.top, height: scale.base - scale.top }}
      />
      <span
        className="jp-GpuHeadroom-momentText"
        aria-hidden="true"
        style={isLeft ? { right: scale.width - x + 6 } : { left: x + 6 }}
      >
        {describePoint(timeline, point, trans)}
      </span>
    </>
  );
}

function momentAt(
  event: React.MouseEvent<HTMLElement>,
  { now_s }: ITimeline,
  { nowX }: IScale
): number {
  const { left } = event.currentTarget.getBoundingClientRect();
  return now_s - HISTORY_S * (1 - (event.clientX - left) / nowX);
}

function nearest(
  points: readonly IHistoryPoint[],
  time_s: number
): IHistoryPoint | null {
  const distance = (point: IHistoryPoint): number =>
    Math.abs(point.time_s - time_s);
  return points.reduce<IHistoryPoint | null>(
    (best, point) => (!best || distance(point) < distance(best) ? point : best),
    null
  );
}
