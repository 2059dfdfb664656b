import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Chart, ChartTitle } from '../components/chart';
import { AUTOMATIC, chosenAxis, type IView } from '../memory/axis';
import type { IEnvelope } from '../memory/history';
import { type IScale, scaleOf } from '../memory/scale';
import type { IMemoryState } from '../memory/state';
import { clockOf, type ITimeline, timelineOf } from '../memory/timeline';
import { describePoint, nameSpan } from '../memory/timelinewords';
import type { IDevice } from '../protocol';
import {
  type IShown,
  momentAt,
  onTimeKey,
  useDrag,
  useWheel
} from './gestures';
import { SpanPicker } from './spanpicker';

interface ITimelineProps {
  state: IMemoryState;
  device: IDevice;
  /** Names the GPU, where there are several. */
  isNamed: boolean;
  /** Chooses whose memory is shown, where that is not only the GPU's. */
  subject?: React.ReactNode;
  /** In pixels, as is the height. */
  width: number;
  height: number;
  trans: TranslationBundle;
}

/**
 * A session as one device has seen it: a chart, its peak, and each moment in
 * numbers under the pointer or by ← and →. It shows all that there is, until a
 * person chooses a part: by name, by dragging, by the wheel with Ctrl, or by keys.
 */
export function Timeline(props: ITimelineProps): React.JSX.Element | null {
  const { state, device, isNamed, trans } = props;
  const [view, setView] = React.useState(AUTOMATIC);
  const timeline = useTimeline(state, device, view);
  if (!timeline) {
    return null;
  }
  return (
    <>
      <ChartTitle
        title={
          <>
            {isNamed && `${trans.__('GPU %1', device.index)} `}
            {props.subject}
            <SpanPicker
              timeline={timeline}
              view={view}
              onView={setView}
              trans={trans}
            />
          </>
        }
        timeline={timeline}
        trans={trans}
      />
      <Readable {...props} timeline={timeline} onView={setView} />
    </>
  );
}

/** Drawn anew only when its timeline changes. */
const Plot = React.memo(Chart);

/** A new one only when it would look different: as time passes, or on news. */
function useTimeline(
  state: IMemoryState,
  device: IDevice,
  view: IView
): ITimeline | null {
  const { runs, sample } = state;
  const history = state.history[device.index];
  const now_s = clockOf(state, Date.now());
  const second = now_s === null ? null : Math.floor(now_s);
  return React.useMemo(
    () =>
      now_s === null
        ? null
        : timelineOf(state, device, now_s, (first, now) =>
            chosenAxis(first, now, view)
          ),
    // What a timeline shows of the state; within a second little else changes.
    [history, runs, sample?.life_id, device.index, second, view]
  );
}

/** The chart, with a line at the moment that is read. */
function Readable(
  props: ITimelineProps & Pick<IShown, 'timeline' | 'onView'>
): React.JSX.Element {
  const { timeline, width, height, onView, trans } = props;
  const { axis, now_s, points } = timeline;
  const id = React.useId();
  const place = React.useRef<HTMLDivElement>(null);
  const [time_s, read] = React.useState<number | null>(null);
  const scale = scaleOf(timeline, width, height);
  const shown: IShown = { timeline, scale, onView };
  const drag = useDrag(shown);
  useWheel(place, shown);
  const point = time_s === null ? null : nearest(points, time_s);
  const told = point ?? points[points.length - 1] ?? null;
  const forget = (): void => {
    read(null);
  };
  return (
    <div
      ref={place}
      className="jp-GpuHeadroom-timeline"
      role="slider"
      tabIndex={0}
      aria-label={nameSpan(axis.span_s, trans)}
      aria-valuemin={Math.floor(axis.start_s - now_s)}
      aria-valuemax={Math.ceil(axis.end_s - now_s)}
      aria-valuenow={told ? Math.round(told.time_s - now_s) : 0}
      aria-valuetext={told ? describePoint(timeline, told, trans) : ''}
      onKeyDown={event => {
        if (onTimeKey(event.key, shown, told, read)) {
          event.preventDefault();
        }
      }}
      onBlur={forget}
      onDoubleClick={() => {
        onView(AUTOMATIC);
      }}
      onPointerDown={drag.start}
      onPointerMove={event => {
        const { clientX, currentTarget } = event;
        read(drag.move(event) ? null : momentAt(clientX, currentTarget, shown));
      }}
      onPointerUp={drag.end}
      onPointerCancel={drag.end}
      onPointerLeave={forget}
    >
      <Plot {...{ timeline, id, width, height, trans }} />
      {point && <Moment {...{ timeline, point, scale, trans }} />}
    </div>
  );
}

/** The line at a moment, with its numbers on the side that has room. */
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
