import * as React from 'react';

import { Chart } from '../components/chart';
import type { IMemoryState } from '../memory/state';
import { clockOf, type ITimeline, timelineOf } from '../memory/timeline';
import type { IDevice } from '../protocol';

/** The chart of a session, rendered again only when its timeline changes. */
export const Plot = React.memo(Chart);

/**
 * The timeline of a device, replaced only when it would look different: each second,
 * and on new readings. `null` before the first reading.
 *
 * @param isWhole - whether to include the whole session instead of the last minutes
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
    // The parts of the state that a timeline shows; within a second little else
    // changes.
    [history, runs, sample?.helper_id, device.index, second, isWhole]
  );
}
