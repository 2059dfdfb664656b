import { gib } from '../../__tests__/report';
import { DEVICE, POINT } from '../../__tests__/samples';
import { type IEnvelope, usedAt } from '../history';
import { areaOf, fitLabels, scaleOf, stretches } from '../scale';
import type { ITimeline } from '../timeline';

const NOW_S = 1000;

const at = (time_s: number): IEnvelope => ({
  ...POINT,
  time_s,
  width_s: 1,
  low_bytes: 0
});

const timeline = (change: Partial<ITimeline> = {}): ITimeline => ({
  device: DEVICE,
  now_s: NOW_S,
  axis: { start_s: NOW_S - 300, end_s: NOW_S },
  points: [],
  runs: [],
  peak: null,
  full_in_s: null,
  ...change
});

describe('scaleOf', () => {
  it('should span the time shown, and zero to the total', () => {
    const scale = scaleOf(timeline(), 300, 104);
    expect([700, 850, 1000].map(scale.x)).toEqual([0, 150, 300]);
    expect([0, gib(14.7)].map(scale.y)).toEqual([90, 14]);
  });

  it('should reserve a sixth of its width for the projection', () => {
    const scale = scaleOf(timeline({ full_in_s: 40 }), 300, 104);
    expect(scale.endX).toBe(252);
    expect(scale.x(NOW_S + 40)).toBeCloseTo(252 + 33.6);
  });

  it('should leave room above a GPU of unknown size', () => {
    const device = { ...DEVICE, capacity_bytes: null };
    const scale = scaleOf(timeline({ device, points: [at(990)] }), 300, 104);
    expect(scale.y(gib(7.4))).toBeGreaterThan(14);
  });

  it('should place zero bytes on a GPU with a reported size of zero', () => {
    const device = { ...DEVICE, capacity_bytes: 0 };
    expect(scaleOf(timeline({ device }), 300, 104).y(0)).toBe(90);
  });

  it('should never leave the chart', () => {
    const scale = scaleOf(timeline(), 300, 104);
    expect(scale.x(0)).toBe(0);
    expect(scale.y(gib(99))).toBe(14);
  });
});

describe('stretches', () => {
  it('should not join readings with a gap between them', () => {
    const points = [700, 705, 800, 805].map(at);
    const times = stretches(timeline({ points })).map(stretch =>
      stretch.map(({ time_s }) => time_s)
    );
    expect(times).toEqual([
      [700, 705],
      [800, 805]
    ]);
  });

  it('should extend the last reading until now while it is fresh', () => {
    const [stretch] = stretches(timeline({ points: [at(995)] }));
    expect(stretch?.map(({ time_s }) => time_s)).toEqual([995, 1000]);
  });
});

describe('areaOf', () => {
  it('should follow the upper level, then return along the lower', () => {
    const scale = scaleOf(timeline(), 300, 104);
    const path = areaOf([at(700), at(1000)], scale, () => 0, usedAt);
    const y = scale.y(gib(6.3)).toFixed(1);
    expect(path).toBe(`M0.0,${y} 300.0,${y} 300.0,90.0 0.0,90.0Z`);
  });
});

describe('fitLabels', () => {
  it('should be under the left end', () => {
    expect(fitLabels([['In [1]', 60, 62]], 40, 300)).toEqual([
      { text: 'In [1]', x: 60 }
    ]);
  });

  it('should drop a label that would touch its neighbor', () => {
    const spans = [
      ['In [1]', 60, 62],
      ['In [2]', 70, 75],
      ['In [3]', 120, 125]
    ] as const;
    expect(fitLabels(spans, 40, 300).map(({ text }) => text)).toEqual([
      'In [1]',
      'In [3]'
    ]);
  });

  it('should move to the right within the span of its label', () => {
    expect(fitLabels([['In [1]', 0, 300]], 40, 300)).toEqual([
      { text: 'In [1]', x: 40 }
    ]);
  });

  it('should end where now begins', () => {
    expect(fitLabels([['In [1]', 290, 300]], 40, 300)).toEqual([]);
  });
});
