import { nullTranslator } from '@jupyterlab/translation';

import { gib } from '../../__tests__/report';
import { CELL } from '../../__tests__/samples';
import { describePeak, formatFull, nameAgo, nameSpan } from '../timelinewords';

const trans = nullTranslator.load('gpu-headroom');

describe('formatFull', () => {
  it.each([
    [0, 'full in about 5 s'],
    [2.4, 'full in about 5 s'],
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

describe('describePeak', () => {
  it('should show where, when and how exact', () => {
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
