import { DEVICE, POINT, SAMPLE } from '../../__tests__/samples';
import type { IHistoryPoint, ISample } from '../../protocol';
import { HISTORY_S, withPoints, withReading } from '../history';

const at = (time_s: number, in_use_bytes: number, index = 0): ISample => ({
  ...SAMPLE,
  time_s,
  devices: [{ ...DEVICE, index, in_use_bytes }]
});

const read = (...samples: ISample[]): readonly IHistoryPoint[] =>
  samples.reduce<readonly IHistoryPoint[]>(withReading, []);

const seen = (points: readonly IHistoryPoint[]): [number, number][] =>
  points.map(({ time_s, in_use_bytes }) => [time_s, in_use_bytes]);

describe('the history', () => {
  it('should keep the highest reading of each second', () => {
    const points = read(at(10.1, 5), at(10.5, 9), at(10.9, 7), at(11.2, 2));
    expect(seen(points)).toEqual([
      [10.5, 9],
      [11.2, 2]
    ]);
  });

  it('should be the same array when a reading shows nothing higher', () => {
    const points = read(at(10.1, 5));
    expect(withReading(points, at(10.6, 4))).toBe(points);
    expect(withReading(points, at(10.6, 5))).toBe(points);
  });

  it('should keep devices apart', () => {
    const points = read(at(10.1, 5), at(10.2, 3, 1));
    expect(points.map(({ device_index }) => device_index)).toEqual([0, 1]);
  });

  it('should go on when the clock of the kernel is set back', () => {
    const points = read(at(5000, 9), at(5001, 8), at(1400, 3), at(1401, 4));
    expect(seen(points)).toEqual([
      [1400, 3],
      [1401, 4]
    ]);
  });

  it('should forget what is older than five minutes', () => {
    const points = read(at(0, 1), at(1, 1), at(HISTORY_S + 1, 1));
    expect(seen(points).map(([time_s]) => time_s)).toEqual([1, HISTORY_S + 1]);
  });

  it('should take in what the helper remembers, in order', () => {
    const live = read(at(20, 5), at(21, 6));
    const told = [7, 20, 21].map(time_s => ({
      ...POINT,
      time_s,
      in_use_bytes: 5
    }));
    expect(seen(withPoints(live, told))).toEqual([
      [7, 5],
      [20, 5],
      [21, 6]
    ]);
  });

  it('should hold readings of a kernel that frees and takes all day', () => {
    let points: readonly IHistoryPoint[] = [];
    for (let second = 0; second < 4 * HISTORY_S; second++) {
      points = withReading(points, at(second, second % 7));
    }
    expect(points).toHaveLength(HISTORY_S + 1);
  });
});
