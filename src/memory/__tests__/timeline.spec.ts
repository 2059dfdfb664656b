import { gib } from '../../__tests__/report';
import {
  CELL,
  DEVICE,
  historyOf,
  POINT,
  SAMPLE,
  TREND
} from '../../__tests__/samples';
import type { ICell, IHistoryPoint } from '../../protocol';
import { INITIAL_STATE } from '../model';
import type { IMemoryState } from '../state';
import { clockOf, timelineOf } from '../timeline';

const NOW_S = 1000;

const point = (time_s: number, in_use_gib: number): IHistoryPoint => ({
  ...POINT,
  time_s,
  in_use_bytes: gib(in_use_gib)
});

const run = (start_s: number, end_s: number | null): ICell => ({
  ...CELL,
  start_s,
  end_s,
  status: end_s === null ? 'running' : 'ok',
  memory: []
});

const state = (change: Partial<IMemoryState>): IMemoryState => ({
  ...INITIAL_STATE,
  phase: 'live',
  sample: SAMPLE,
  ...change
});

describe('the axis of a timeline', () => {
  it.each([
    [0, true, 30],
    [31, true, 31],
    [8 * 3600, true, 8 * 3600],
    [10, false, 30],
    [200, false, 200],
    [3000, false, 300]
  ])(
    'should, after %s s, whole: %s, show %s s until now',
    (age_s, isWhole, shown_s) => {
      const now_s = 100_000;
      const history = historyOf(point(now_s - age_s, 1));
      const { axis } = timelineOf(state({ history }), DEVICE, now_s, isWhole);
      expect(axis).toEqual({ start_s: now_s - shown_s, end_s: now_s });
    }
  );
});

describe('clockOf', () => {
  it('should continue from the last reading by the clock of the page', () => {
    expect(clockOf(state({ sampleAt_ms: 5000 }), 7000)).toBe(SAMPLE.time_s + 2);
    expect(clockOf(INITIAL_STATE, 7000)).toBeNull();
  });
});

describe('timelineOf', () => {
  it('should show the readings of the device in the last minutes', () => {
    const other = { ...point(990, 1), device_index: 1 };
    const history = historyOf(
      point(699, 1),
      point(700, 2),
      other,
      point(990, 3)
    );
    const { points } = timelineOf(state({ history }), DEVICE, NOW_S, false);
    expect(points.map(({ time_s }) => time_s)).toEqual([700, 990]);
  });

  it('should show the whole session', () => {
    const history = historyOf(point(400, 2), point(990, 3));
    const { axis, points } = timelineOf(state({ history }), DEVICE, NOW_S);
    expect(axis).toEqual({ start_s: 400, end_s: NOW_S });
    expect(points).toHaveLength(2);
  });

  it('should show the runs that reach into it', () => {
    const history = historyOf(point(100, 3), point(990, 3));
    const runs = [run(600, 650), run(651, 720), run(980, null)];
    expect(
      timelineOf(state({ history, runs }), DEVICE, NOW_S, false).runs
    ).toEqual(runs.slice(1));
  });

  it('should name the cell of the highest reading, as at least that', () => {
    const history = historyOf(point(900, 2), point(950, 8), point(980, 3));
    const runs = [run(940, 960)];
    expect(timelineOf(state({ history, runs }), DEVICE, NOW_S).peak).toEqual({
      least_bytes: gib(9),
      most_bytes: null,
      run: runs[0],
      isNow: false
    });
  });

  const peaked = (start_s: number, least: number, most: number): ICell => ({
    ...run(start_s, start_s + 5),
    memory: [
      {
        device_index: 0,
        change_bytes: 0,
        peak_bytes: gib(least),
        peak_at_most_bytes: gib(most),
        needed_bytes: null,
        alloc_retries: 0,
        ooms: 0
      }
    ]
  });

  it('should prefer what the framework counted to what was sampled', () => {
    const history = historyOf(point(900, 2), point(942, 8));
    const runs = [peaked(940, 10, 10.5)];
    const { peak } = timelineOf(state({ history, runs }), DEVICE, NOW_S);
    expect(peak).toMatchObject({
      least_bytes: gib(11),
      most_bytes: gib(11.5)
    });
  });

  it('should show how high another run may have been', () => {
    const history = historyOf(point(900, 2));
    const runs = [peaked(940, 7, 9), peaked(950, 8, 8)];
    expect(timelineOf(state({ history, runs }), DEVICE, NOW_S).peak).toEqual({
      least_bytes: gib(9),
      most_bytes: gib(10),
      run: runs[1],
      isNow: false
    });
  });

  it('should show that the peak is now while it grows', () => {
    const cell = run(940, null);
    const grows = state({
      sample: { ...SAMPLE, trends: [TREND] },
      history: historyOf(point(950, 2), point(999, 8)),
      runs: [cell],
      cell
    });
    const timeline = timelineOf(grows, DEVICE, NOW_S);
    expect(timeline.peak?.isNow).toBe(true);
    expect(timeline.full_in_s).toBe(40);
  });

  it('should have no peak without a reading', () => {
    expect(timelineOf(state({}), DEVICE, NOW_S).peak).toBeNull();
  });
});
