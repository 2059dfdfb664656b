import { gib } from '../../__tests__/report';
import { CELL, DEVICE, POINT, SAMPLE, TREND } from '../../__tests__/samples';
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

describe('clockOf', () => {
  it('should go on from the last reading by the clock of the page', () => {
    expect(clockOf(state({ sampleAt_ms: 5000 }), 7000)).toBe(SAMPLE.time_s + 2);
    expect(clockOf(INITIAL_STATE, 7000)).toBeNull();
  });
});

describe('timelineOf', () => {
  it('should show the readings of the device in the last five minutes', () => {
    const other = { ...point(990, 1), device_index: 1 };
    const history = [point(699, 1), point(700, 2), other, point(990, 3)];
    const { points } = timelineOf(state({ history }), DEVICE, NOW_S);
    expect(points).toEqual([history[1], history[3]]);
  });

  it('should show the runs that reach into them', () => {
    const runs = [run(600, 650), run(651, 720), run(980, null)];
    expect(timelineOf(state({ runs }), DEVICE, NOW_S).runs).toEqual(
      runs.slice(1)
    );
  });

  it('should name the cell of the highest reading, as at least that', () => {
    const history = [point(900, 2), point(950, 8), point(980, 3)];
    const runs = [run(940, 960)];
    expect(timelineOf(state({ history, runs }), DEVICE, NOW_S).peak).toEqual({
      bytes: gib(9),
      isExact: false,
      run: runs[0],
      isNow: false
    });
  });

  it('should prefer what the framework counted to what was sampled', () => {
    const memory = [
      {
        device_index: 0,
        change_bytes: 0,
        peak_bytes: gib(10),
        peak_exact: true,
        needed_bytes: null,
        alloc_retries: 0,
        ooms: 0
      }
    ];
    const history = [point(900, 2), point(950, 8)];
    const runs = [{ ...run(940, 960), memory }];
    const { peak } = timelineOf(state({ history, runs }), DEVICE, NOW_S);
    expect(peak).toMatchObject({ bytes: gib(11), isExact: true });
  });

  it('should say that the peak is now while it grows', () => {
    const cell = run(940, null);
    const grows = state({
      sample: { ...SAMPLE, trends: [TREND] },
      history: [point(950, 2), point(999, 8)],
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
