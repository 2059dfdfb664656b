import { axisOf } from '../axis';

const NOW_S = 100_000;

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
      expect(axisOf(NOW_S - age_s, NOW_S, isWhole)).toEqual({
        start_s: NOW_S - shown_s,
        end_s: NOW_S
      });
    }
  );
});
