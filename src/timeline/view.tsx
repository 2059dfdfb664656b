import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { ChartTitle } from '../components/chart';
import { Plot, useTimeline } from '../lab/plot';
import type { IEnvelope } from '../memory/history';
import { type IScale, scaleOf } from '../memory/scale';
import type { IMemoryState } from '../memory/state';
import type { ITimeline } from '../memory/timeline';
import { nameSpan } from '../memory/timelinewords';
import type { IDevice } from '../protocol';
import { own } from '../text/own';
import { describePoint } from './words';

interface ITimelineProps {
  state: IMemoryState;
  device: IDevice;
  /** In pixels, as is the height. */
  width: number;
  height: number;
  trans: TranslationBundle;
}

/**
 * A session on one device: a chart, its peak, and the numbers of each point under the
 * pointer or by ← and →.
 */
export function Timeline(props: ITimelineProps): React.JSX.Element | null {
  const { state, device, trans } = props;
  const [isWhole, setWhole] = React.useState(true);
  const timeline = useTimeline(state, device, isWhole);
  if (!timeline) {
    return null;
  }
  return (
    <>
      <ChartTitle
        title={
          <select
            className="jp-GpuHeadroom-span"
            aria-label={trans.__('Time shown')}
            value={String(isWhole)}
            onChange={({ target }) => {
              setWhole(target.value === 'true');
            }}
          >
            <option value="true">{nameSpan(true, trans)}</option>
            <option value="false">{nameSpan(false, trans)}</option>
          </select>
        }
        timeline={timeline}
        trans={trans}
      />
      <Readable {...props} timeline={timeline} isWhole={isWhole} />
    </>
  );
}

/** The chart, with a line at the selected point. */
function Readable(
  props: ITimelineProps & { timeline: ITimeline; isWhole: boolean }
): React.JSX.Element {
  const { isWhole, timeline, width, height, trans } = props;
  const { axis, now_s, points } = timeline;
  const id = React.useId();
  const [time_s, read] = React.useState<number | null>(null);
  const scale = scaleOf(timeline, width, height);
  const point = time_s === null ? null : nearest(points, time_s);
  const shown = point ?? points[points.length - 1] ?? null;
  const forget = (): void => {
    read(null);
  };
  return (
    <div
      className="jp-GpuHeadroom-timeline"
      role="slider"
      tabIndex={0}
      aria-label={nameSpan(isWhole, trans)}
      aria-valuemin={Math.floor(axis.start_s - now_s)}
      aria-valuemax={0}
      aria-valuenow={shown ? Math.round(shown.time_s - now_s) : 0}
      aria-valuetext={shown ? describePoint(timeline, shown, trans) : ''}
      onKeyDown={event => {
        const next = pointAt(event.key, points, shown);
        if (next) {
          event.preventDefault();
          read(next.time_s);
        }
      }}
      onBlur={forget}
      onPointerMove={({ clientX, currentTarget }) => {
        const { left } = currentTarget.getBoundingClientRect();
        const share = (clientX - left) / scale.endX;
        read(axis.start_s + share * (axis.end_s - axis.start_s));
      }}
      onPointerLeave={forget}
    >
      <Plot {...{ timeline, id, width, height, trans }} />
      {point && <Moment {...{ timeline, point, scale, trans }} />}
    </div>
  );
}

/**
 * Point that a key selects: ← and → the neighbors of the selected one, Home and End the
 * ends.
 */
function pointAt(
  key: string,
  points: readonly IEnvelope[],
  shown: IEnvelope | null
): IEnvelope | undefined {
  const at = shown ? points.indexOf(shown) : -1;
  const to = {
    ArrowLeft: points[Math.max(0, at - 1)],
    ArrowRight: points[at + 1] ?? points[at],
    Home: points[0],
    End: points[points.length - 1]
  };
  return own(to, key);
}

/** The line at a point, with its numbers on the side that has room. */
function Moment(props: {
  timeline: ITimeline;
  point: IEnvelope;
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

function nearest(
  points: readonly IEnvelope[],
  time_s: number
): IEnvelope | null {
  const distance = (point: IEnvelope): number =>
    Math.abs(point.time_s - time_s);
  return points.reduce<IEnvelope | null>(
    (best, point) => (!best || distance(point) < distance(best) ? point : best),
    null
  );
}
