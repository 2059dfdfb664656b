import {
  AUTOMATIC,
  axisOf,
  chosenAxis,
  type IAxis,
  moved,
  zoomed
} from '../axis';

const NOW_S = 100_000;

/** The axis of a session that began so long ago. */
const after = (age_s: number, view = AUTOMATIC): IAxis =>
  chosenAxis(NOW_S - age_s, NOW_S, view);

describe('the axis of a timeline', () => {
  it.each([
    [0, 30],
    [10, 30],
    [31, 120],
    [121, 300],
    [301, 900],
    [901, 3600]
  ])(
    'should grow with the session: after %s s it shows %s',
    (age_s, span_s) => {
      expect(after(age_s)).toEqual(axisOf(NOW_S - age_s, NOW_S));
      expect(after(age_s)).toEqual({
        span_s,
        start_s: NOW_S - span_s,
        end_s: NOW_S
      });
    }
  );

  it('should show the whole session once it is longer than an hour', () => {
    expect(after(8 * 3600)).toEqual({
      span_s: Infinity,
      start_s: NOW_S - 8 * 3600,
      end_s: NOW_S
    });
  });

  it('should show what was chosen', () => {
    const axis = after(7200, { span_s: 120, end_s: NOW_S - 600 });
    expect(axis).toMatchObject({ start_s: NOW_S - 720, end_s: NOW_S - 600 });
  });

  it('should not end before the first reading or after the last', () => {
    expect(after(600, { span_s: 120, end_s: 0 }).start_s).toBe(NOW_S - 600);
    expect(after(600, { span_s: 120, end_s: 9e9 }).end_s).toBe(NOW_S);
    expect(after(60, { span_s: 120, end_s: 0 }).end_s).toBe(NOW_S);
  });

  it('should keep a moment in its place when it is zoomed', () => {
    const axis = after(3000, { span_s: 900, end_s: null });
    const at_s = NOW_S - 450;
    expect(zoomed(axis, -1, at_s, NOW_S)).toEqual({
      span_s: 300,
      end_s: at_s + 150
    });
    expect(zoomed(axis, 1, at_s, NOW_S)).toEqual({ span_s: 3600, end_s: null });
  });

  it('should end with the whole session, and with half a minute', () => {
    const whole = after(200, { span_s: Infinity, end_s: null });
    expect(zoomed(whole, 1, NOW_S, NOW_S)).toEqual({
      span_s: Infinity,
      end_s: null
    });
    expect(zoomed(whole, -1, NOW_S, NOW_S)).toEqual({
      span_s: 120,
      end_s: null
    });
    const shortest = after(200, { span_s: 30, end_s: null });
    expect(zoomed(shortest, -1, NOW_S, NOW_S).span_s).toBe(30);
  });

  it('should follow the time again where it is moved back to now', () => {
    const axis = after(3000, { span_s: 300, end_s: NOW_S - 100 });
    expect(moved(axis, 50, NOW_S)).toEqual({ span_s: 300, end_s: NOW_S - 150 });
    expect(moved(axis, -200, NOW_S)).toEqual({ span_s: 300, end_s: null });
  });
});
