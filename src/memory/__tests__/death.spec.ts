import { nullTranslator } from '@jupyterlab/translation';

import { gib } from '../../__tests__/report';
import { SAMPLE } from '../../__tests__/samples';
import { deathOf, explainDeath } from '../death';
import { INITIAL_STATE } from '../model';

const trans = nullTranslator.load('gpu-headroom');

const host = (available: number): object => ({
  rss_bytes: gib(3),
  available_bytes: gib(available),
  total_bytes: gib(15.6)
});

const say = (sample: object | null, sampleAt_ms: number | null): string => {
  const last = {
    ...INITIAL_STATE,
    sample: sample && { ...SAMPLE, ...sample },
    sampleAt_ms
  };
  return explainDeath(deathOf(last, 12_000), trans);
};

describe('a kernel that died', () => {
  it.each([
    [0.3, 'running out of it is the likely cause'],
    [0.7, 'running out of it is the likely cause'],
    [2, 'it may have run out since'],
    [9.8, 'host memory does not explain it']
  ])('should be judged by %d GiB that were left', (left, judgement) => {
    expect(say({ host: host(left) }, 10_000)).toBe(
      `The kernel died. Its last reading, 2 s earlier, showed ${left.toFixed(1)} of 15.6 GiB host memory left: ${judgement}.`
    );
  });

  it('should not be cleared by a reading that is old', () => {
    expect(say({ host: host(9.8) }, 0)).toContain('it may have run out since.');
    expect(say({ host: host(0.3) }, 0)).toContain('is the likely cause.');
  });

  it.each([
    ['no reading', null, null],
    ['a reading without the host', { host: null }, 10_000],
    [
      'a host that does not say',
      { host: { rss_bytes: 1, available_bytes: null, total_bytes: null } },
      10_000
    ]
  ])('should not be judged by %s', (_, sample, readAt_ms) => {
    expect(say(sample, readAt_ms)).toContain('was not measured');
  });

  it('should fit into a notification', () => {
    for (const left of [0, 2, 15]) {
      expect(say({ host: host(left) }, 0).length).toBeLessThanOrEqual(140);
    }
    expect(say(null, null).length).toBeLessThanOrEqual(140);
  });
});
