import { nullTranslator } from '@jupyterlab/translation';

import { gib } from '../../__tests__/report';
import { CELL, TREND } from '../../__tests__/samples';
import type { ITrend } from '../../protocol';
import { GIB, MIB } from '../../text/format';
import {
  describePeak,
  describeTrend,
  formatFull,
  nameAgo,
  nameSpan
} from '../timelinewords';

const trans = nullTranslator.load('gpu-headroom');

describe('formatFull', () => {
  it.each([
    [0, 'full in a few seconds'],
    [2.4, 'full in a few seconds'],
    [3, 'full in about 5 s'],
    [38.2, 'full in about 40 s'],
    [57, 'full in about 55 s'],
    [58, 'full in about 1 min'],
    [89, 'full in about 1 min'],
    [91, 'full in about 2 min']
  ])('should round %d s', (seconds, words) => {
    expect(formatFull(seconds, trans)).toBe(words);
  });
});

describe('describeTrend', () => {
  it.each<[Partial<ITrend>, string, string]>([
    [
      {},
      '+120 MiB per step — full in about 40 s',
      'From 43 steps of In [7], about 1 per second.'
    ],
    [
      { bytes_per_s: 30 * MIB },
      '+120 MiB per step — full in about 40 s',
      'From 43 steps of In [7], about one every 4 s.'
    ],
    [
      { bytes_per_step: null, steps: null, bytes_per_s: GIB },
      '+1.0 GiB per second — full in about 40 s',
      'From the readings while In [7] ran.'
    ],
    [
      { full_in_s: null },
      '+120 MiB per step',
      'From 43 steps of In [7], about 1 per second.'
    ],
    [{ state: 'steady' }, 'Steady: no growth over the last 43 steps.', ''],
    [
      { state: 'steady', steps: null },
      'Steady: no growth while this cell runs.',
      ''
    ],
    [{ state: 'unknown' }, 'Not enough data yet.', '']
  ])('should be right (%#)', (change, headline, detail) => {
    expect(describeTrend({ ...TREND, ...change }, CELL, trans)).toEqual({
      headline,
      detail
    });
  });
});

describe('describePeak', () => {
  it('should say where, when and how sure', () => {
    const exact = { least_bytes: gib(7.4), most_bytes: gib(7.4) };
    const peak = { ...exact, run: CELL, isNow: false };
    expect(describePeak(peak, trans)).toBe('peak 7.4 GiB in In [7]');
    expect(
      describePeak({ ...peak, most_bytes: null, isNow: true }, trans)
    ).toBe('peak at least 7.4 GiB in In [7], now');
    expect(describePeak({ ...peak, most_bytes: gib(8) }, trans)).toBe(
      'peak 7.4–8.0 GiB in In [7]'
    );
    expect(describePeak({ ...peak, run: null }, trans)).toBe('peak 7.4 GiB');
  });
});

describe('the axis in words', () => {
  it.each([
    [0.3, 'now'],
    [40, '−40 s'],
    [60, '−1 min'],
    [150, '−2.5 min'],
    [3600, '−1 h'],
    [11_520, '−3.2 h']
  ])('should name %s s before now', (ago_s, words) => {
    expect(nameAgo(ago_s, trans)).toBe(words);
  });

  it.each([
    [true, 'Whole session'],
    [false, 'Last 5 min']
  ])('should name the whole session: %s', (isWhole, words) => {
    expect(nameSpan(isWhole, trans)).toBe(words);
  });
});
