import { gib } from '../../__tests__/report';
import { DEVICE, POINT, SAMPLE } from '../../__tests__/samples';
import type { ISample } from '../../protocol';
import {
  type History,
  type IEnvelope,
  startOf,
  widened,
  withPoints,
  withReading
} from '../history';

const HOUR_S = 3600;

const at = (time_s: number, in_use_bytes: number, index = 0): ISample => ({
  ...SAMPLE,
  time_s,
  devices: [{ ...DEVICE, index, in_use_bytes, outside_bytes: 0 }]
});

const read = (...samples: ISample[]): History =>
  samples.reduce<History>(withReading, {});

const seen = (
  points: readonly IEnvelope[] = []
): [time_s: number, high: number, low: number][] =>
  points.map(({ time_s, in_use_bytes, low_bytes }) => [
    time_s,
    in_use_bytes,
    low_bytes
  ]);

describe('the history', () => {
  it('should keep the highest and the lowest of each quarter of a second', () => {
    const history = read(at(10.01, 5), at(10.1, 9), at(10.2, 7), at(10.3, 2));
    expect(seen(history[0])).toEqual([
      [10.1, 9, 5],
      [10.3, 2, 2]
    ]);
  });

  it('should be the same when a reading shows nothing new', () => {
    const history = read(at(10.1, 5), at(10.12, 3));
    expect(withReading(history, at(10.2, 4))).toBe(history);
    expect(withReading(history, at(10.2, 2))).not.toBe(history);
  });

  it('should keep devices apart', () => {
    const history = read(at(10.1, 5), at(10.2, 3, 1));
    expect(Object.keys(history)).toEqual(['0', '1']);
  });

  it('should continue when the clock of the kernel is set back', () => {
    const history = read(at(5000, 9), at(5001, 8), at(1400, 3), at(1401, 4));
    expect(seen(history[0])).toEqual([
      [1400, 3, 3],
      [1401, 4, 4]
    ]);
  });

  it('should add the history of the helper, in order', () => {
    const live = read(at(20, 5), at(21, 6));
    const received = [7, 20, 21].map(time_s => ({
      ...POINT,
      time_s,
      in_use_bytes: 5,
      outside_bytes: 0,
      low_bytes: 5
    }));
    expect(seen(withPoints(live, received)[0])).toEqual([
      [7, 5, 5],
      [20, 5, 5],
      [21, 6, 5]
    ]);
  });

  it('should show a long time in no more points than a short one', () => {
    const points = Array.from({ length: 4000 }, (_, second) => ({
      ...POINT,
      time_s: second,
      in_use_bytes: gib(second % 8),
      outside_bytes: 0,
      low_bytes: gib(second % 8)
    }));
    const wide = widened(withPoints({}, points)[0] ?? [], 4000 / 300);
    expect(wide).toHaveLength(250);
    expect(wide.every(({ width_s }) => width_s === 16)).toBe(true);
    expect(new Set(wide.map(({ in_use_bytes }) => in_use_bytes))).toEqual(
      new Set([gib(7)])
    );
    expect(new Set(wide.map(({ low_bytes }) => low_bytes))).toEqual(
      new Set([0])
    );
  });

  describe('of eight hours, read once a second', () => {
    /** Readings of a kernel that frees and allocates, with ten GiB for one moment. */
    const PEAK_S = 2 * HOUR_S + 1;
    let history: History = {};
    let lengths: number[] = [];

    beforeAll(() => {
      for (let time_s = 0; time_s <= 8 * HOUR_S; time_s++) {
        const bytes = time_s === PEAK_S ? gib(10) : gib(1 + (time_s % 7));
        history = withReading(history, at(time_s, bytes));
        if (time_s % HOUR_S === 0) {
          lengths = [...lengths, history[0]?.length ?? 0];
        }
      }
    }, 60_000);

    it('should stay as small as it was', () => {
      expect(Math.max(...lengths)).toBeLessThan(2000);
      const [, first = 0] = lengths;
      // Eight hours are one hour doubled three times, and each doubling adds few
      // points.
      expect((lengths[8] ?? Infinity) - first).toBeLessThan(600);
    });

    it('should be whole, without a gap or an overlap', () => {
      const points = history[0] ?? [];
      const gaps = points.slice(1).map((each, before) => {
        const { width_s = NaN } = points[before] ?? {};
        return startOf(each) - startOf(points[before] ?? each) - width_s;
      });
      // The newest intervals follow each other without a gap.
      expect(Math.min(...gaps)).toBe(0);
      expect(Math.max(...gaps)).toBe(0.75);
    });

    it('should have what was highest and lowest all the time', () => {
      const highest = (history[0] ?? []).reduce((best, each) =>
        each.in_use_bytes > best.in_use_bytes ? each : best
      );
      expect(highest).toMatchObject({
        time_s: PEAK_S,
        in_use_bytes: gib(10),
        low_bytes: gib(1)
      });
    });

    it('should be finest where it is newest', () => {
      const points = history[0] ?? [];
      const widths = points.map(({ width_s }) => width_s);
      expect(widths[0]).toBeGreaterThan(60);
      expect(widths[widths.length - 1]).toBe(0.25);
      expect(widths).toEqual([...widths].sort((a, b) => b - a));
    });
  });
});
