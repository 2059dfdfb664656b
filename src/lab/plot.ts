import * as React from 'react';

import { Chart } from '../components/chart';
import type { IMemoryState } from '../memory/state';
import { clockOf, type ITimeline, timelineOf } from '../memory/timeline';
import type { IDevice } from '../protocol';

/** The chart of a session, drawn again only when its timeline changes. */
export const Plot = React.memo(Chart);

/**
 * The timeline of a device, a new one only when it would look different: each second,
 * and on news. `null` before the first reading.
 *
 * @param isWhole - whether it is of all of the session, else of its last minutes
 */
export function useTimeline(
  state: IMemoryState,
  device: IDevice,
  isWhole = true
): ITimeline | null {
  const { runs, sample } = state;
  const history = state.history[device.index];
  const now_s = clockOf(state, Date.now());
  const second = now_s === null ? null : Math.floor(now_s);
  return React.useMemo(
    () => (now_s === null ? null : timelineOf(state, device, now_s, isWhole)),
    // What a timeline shows of the state; within a second little else changes.
    [history, runs, sample?.life_id, device.index, second, isWhole]
  );
}
