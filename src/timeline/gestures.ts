/**
 * How a person moves along a timeline: by keys, by the wheel with a modifier, by
 * dragging.
 */
import * as React from 'react';

import {
  AUTOMATIC,
  type IAxis,
  type IView,
  moved,
  zoomed
} from '../memory/axis';
import type { IEnvelope } from '../memory/history';
import type { IScale } from '../memory/scale';
import type { ITimeline } from '../memory/timeline';

/** A chart that can be moved. */
export interface IShown {
  readonly timeline: ITimeline;
  readonly scale: IScale;
  /** Shows another part of the session. */
  readonly onView: (view: IView) => void;
}

/** Of what is shown, so much a key moves it. */
const STEP = 0.25;

/** A press that moves less is a click. */
const CLICK_PX = 3;

/** The moment under the pointer. */
export function momentAt(
  clientX: number,
  chart: Element,
  { scale, timeline }: IShown
): number {
  const { start_s, end_s } = timeline.axis;
  const { left } = chart.getBoundingClientRect();
  return start_s + ((clientX - left) / scale.endX) * (end_s - start_s);
}

/**
 * Does what a key stands for: ← and → read the neighbour of what is read, at the ends
 * what is there, and move beyond; Home and End read the first and the last; + and − show a
 * shorter and a longer time, 0 all there is.
 *
 * @returns whether it stands for something
 */
export function onTimeKey(
  key: string,
  shown: IShown,
  told: IEnvelope | null,
  read: (time_s: number) => void
): boolean {
  const { onView, timeline } = shown;
  const { axis, now_s, points } = timeline;
  const readAt = (at: number): boolean => {
    const point = points[at];
    if (point) {
      read(point.time_s);
    }
    return point !== undefined;
  };
  const at = told ? points.indexOf(told) : -1;
  const zoom = (step: 1 | -1): void => {
    onView(zoomed(axis, step, told?.time_s ?? axis.end_s, now_s));
  };
  const move = (step: number): void => {
    onView(moved(axis, -step * STEP * spanOf(axis), now_s));
  };
  switch (key) {
    case 'ArrowLeft':
      if (!readAt(at - 1)) {
        readAt(at);
        move(-1);
      }
      return true;
    case 'ArrowRight':
      if (!readAt(at + 1)) {
        readAt(at);
        if (axis.end_s < now_s) {
          move(1);
        }
      }
      return true;
    case 'Home':
      readAt(0);
      return true;
    case 'End':
      readAt(points.length - 1);
      return true;
    case '+':
    case '=':
      zoom(-1);
      return true;
    case '-':
      zoom(1);
      return true;
    case '0':
      onView(AUTOMATIC);
      return true;
    default:
      return false;
  }
}

/** With Ctrl, ⌘ or Alt the wheel shows a longer or shorter time around the pointer. */
export function useWheel(
  place: React.RefObject<HTMLElement>,
  shown: IShown
): void {
  const latest = React.useRef(shown);
  latest.current = shown;
  React.useEffect(() => {
    const chart = place.current;
    const onWheel = (event: WheelEvent): void => {
      if (chart && (event.ctrlKey || event.metaKey || event.altKey)) {
        // Else the page would be zoomed.
        event.preventDefault();
        const at_s = momentAt(event.clientX, chart, latest.current);
        const { onView, timeline } = latest.current;
        const step = event.deltaY > 0 ? 1 : -1;
        onView(zoomed(timeline.axis, step, at_s, timeline.now_s));
      }
    };
    // React's own listeners cannot keep the page from it.
    chart?.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      chart?.removeEventListener('wheel', onWheel);
    };
  }, [place]);
}

/** What a chart does with a pointer that drags it. */
interface IDrag {
  readonly start: (event: React.PointerEvent<HTMLElement>) => void;
  /** Whether it is dragged. */
  readonly move: (event: React.PointerEvent<HTMLElement>) => boolean;
  readonly end: () => void;
}

/** Dragged to the right it shows what was earlier. */
export function useDrag({ onView, scale, timeline }: IShown): IDrag {
  const held = React.useRef<{ axis: IAxis; x: number } | null>(null);
  return {
    start: event => {
      if (event.button === 0) {
        held.current = { axis: timeline.axis, x: event.clientX };
        event.currentTarget.setPointerCapture(event.pointerId);
      }
    },
    move: ({ clientX }) => {
      const { axis, x } = held.current ?? {};
      if (!axis || x === undefined || Math.abs(clientX - x) < CLICK_PX) {
        return false;
      }
      const earlier_s = ((clientX - x) / scale.endX) * spanOf(axis);
      onView(moved(axis, earlier_s, timeline.now_s));
      return true;
    },
    end: () => {
      held.current = null;
    }
  };
}

function spanOf({ start_s, end_s }: IAxis): number {
  return end_s - start_s;
}
