import { nullTranslator } from '@jupyterlab/translation';

import { gib } from '../../__tests__/report';
import { describeActivity, describeTotal } from '../words';

const trans = nullTranslator.load('gpu-headroom');
const MINUTE_MS = 60_000;

describe('the texts of other kernels', () => {
  const kernel = {
    id: '1',
    name: 'sweep-lr.ipynb',
    path: 'sweep-lr.ipynb',
    isBusy: false,
    idleSince_ms: 0,
    devices: []
  };

  it.each([
    ['idle', 59_999],
    ['idle 1 min', MINUTE_MS],
    ['idle 59 min', 60 * MINUTE_MS - 1],
    ['idle 2 h', 2.9 * 60 * MINUTE_MS],
    ['idle 47 h', 47 * 60 * MINUTE_MS],
    ['idle 2 days', 49 * 60 * MINUTE_MS]
  ])('should be "%s"', (words, now_ms) => {
    expect(describeActivity(kernel, now_ms, trans)).toBe(words);
  });

  it('should show no unknown time', () => {
    const fresh = { ...kernel, idleSince_ms: null };
    expect(describeActivity(fresh, 9e9, trans)).toBe('idle');
    const busy = { ...fresh, isBusy: true };
    expect(describeActivity(busy, 9e9, trans)).toBe('busy');
  });

  it('should show the known use of all kernels', () => {
    const shares = [{ kernel, bytes: gib(2) }];
    expect(describeTotal(gib(4.9), shares, trans)).toBe('4.9 GiB');
    expect(describeTotal(0, shares, trans)).toBe('2.0 GiB');
    expect(describeTotal(null, shares, trans)).toBe('at least 2.0 GiB');
    expect(describeTotal(null, [], trans)).toBe('not measured');
  });
});
