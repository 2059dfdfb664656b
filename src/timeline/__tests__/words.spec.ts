import { nullTranslator } from '@jupyterlab/translation';

import { TREND } from '../../__tests__/samples';
import type { ITrend } from '../../protocol';
import { GIB } from '../../text/format';
import { describeGrowth } from '../words';

const trans = nullTranslator.load('gpu-headroom');

describe('describeGrowth', () => {
  it.each<[Partial<ITrend>, string]>([
    [{}, '+120 MiB per step — full in about 40 s'],
    [
      { bytes_per_step: null, steps: null, bytes_per_s: GIB },
      '+1.0 GiB per second — full in about 40 s'
    ],
    [{ full_in_s: null }, '+120 MiB per step']
  ])('should be right (%#)', (change, text) => {
    expect(describeGrowth({ ...TREND, ...change }, trans)).toBe(text);
  });
});
