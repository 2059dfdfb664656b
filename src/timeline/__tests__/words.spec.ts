import { nullTranslator } from '@jupyterlab/translation';

import { CELL, TREND } from '../../__tests__/samples';
import type { ITrend } from '../../protocol';
import { GIB, MIB } from '../../text/format';
import { describeTrend } from '../words';

const trans = nullTranslator.load('gpu-headroom');

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
