import { nullTranslator } from '@jupyterlab/translation';

import { gib } from '../../__tests__/report';
import { DEVICE, SAMPLE } from '../../__tests__/samples';
import type { ISample } from '../../protocol';
import { deathOf, explainDeath, judgeDeath } from '../death';
import { INITIAL_STATE } from '../model';
import type { IDeath } from '../state';

const trans = nullTranslator.load('gpu-headroom');

const host = (available: number): object => ({
  rss_bytes: gib(3),
  available_bytes: gib(available),
  total_bytes: gib(15.6),
  oom_kills: 4
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
    [0.3, 'probably ran out', '15.3'],
    [0.7, 'probably ran out', '14.9'],
    [2, 'may have run out', '13.6'],
    [9.8, 'does not explain it', '5.8']
  ])('should be judged by %d GiB that were left', (left, judgement, used) => {
    expect(say({ host: host(left) }, 10_000)).toBe(
      `The kernel died. Host memory ${judgement}. 2 s before, GPU memory was 6.3 of 14.7 GiB, host memory ${used} of 15.6 GiB.`
    );
  });

  it('should not be cleared by an old reading', () => {
    expect(say({ host: host(9.8) }, 0)).toContain('may have run out.');
    expect(say({ host: host(0.3) }, 0)).toContain('probably ran out.');
  });

  it.each([
    ['no reading', null, null],
    ['a reading without the host', { host: null }, 10_000],
    [
      'a host that does not say',
      {
        host: {
          rss_bytes: 1,
          available_bytes: null,
          total_bytes: null,
          oom_kills: null
        }
      },
      10_000
    ]
  ])('should not be judged by %s', (_, sample, readAt_ms) => {
    expect(say(sample, readAt_ms)).toContain('was not measured');
  });

  it('should show no number that was not read', () => {
    const { sample } = { sample: { ...SAMPLE, devices: [], host: null } };
    expect(say(sample, 10_000)).toBe(
      'The kernel died. Host memory was not measured.'
    );
    expect(say({ host: null }, 10_000)).toMatch(
      / 2 s before, GPU memory was 6\.3 of 14\.7 GiB\.$/
    );
    expect(say({ devices: [] }, 10_000)).toMatch(
      / 2 s before, host memory was 5\.8 of 15\.6 GiB\.$/
    );
    const device = { ...DEVICE, capacity_bytes: null, used_bytes: null };
    expect(say({ devices: [device] }, 10_000)).toContain(
      'GPU memory was 5.3 GiB, host'
    );
  });

  it.each<[string, number | null, number | null, boolean]>([
    ['the system has ended one more', 4, 5, true],
    ['the system has ended none', 4, 4, false],
    ['another helper counts', 4, 0, false],
    ['there was no count before', null, 5, false],
    ['there is no count now', 4, null, false]
  ])('should be known if %s', (_, before, after, isKilled) => {
    const reading = (oom_kills: number | null): ISample => ({
      ...SAMPLE,
      host: { rss_bytes: 1, available_bytes: 1, total_bytes: 9, oom_kills }
    });
    const last = { ...INITIAL_STATE, sample: reading(before), sampleAt_ms: 1 };
    const death = deathOf(last, 1);
    const next = { ...INITIAL_STATE, phase: 'live' as const };
    expect(judgeDeath(death, { ...next, sample: null })).toBeNull();
    expect(
      judgeDeath(death, { ...next, sample: { ...SAMPLE, host: null } })
    ).toBeNull();
    const sample = reading(after);
    expect(
      judgeDeath(death, { ...next, phase: 'starting', sample })
    ).toBeNull();
    const judged = judgeDeath(death, { ...next, sample });
    expect(judged?.isKilled).toBe(isKilled);
    expect(
      judged &&
        explainDeath(judged, trans).startsWith(
          'The kernel was ended because host memory ran out. 0 s before, GPU memory was 6.3 of'
        )
    ).toBe(isKilled);
  });

  it('should fit into a notification', () => {
    const device = {
      ...DEVICE,
      capacity_bytes: gib(119.7),
      used_bytes: gib(118.5)
    };
    for (const left of [0, 2, 15]) {
      for (const isKilled of [false, true]) {
        const death = {
          device,
          host: { ...SAMPLE.host, ...host(left), total_bytes: gib(500) },
          age_ms: 1_234_000,
          isKilled
        } as IDeath;
        expect(explainDeath(death, trans).length).toBeLessThanOrEqual(140);
      }
    }
    expect(say(null, null).length).toBeLessThanOrEqual(140);
  });
});
