import { gib } from '../../__tests__/report';
import { deviceWith, EVENTS, TREND } from '../../__tests__/samples';
import type { IOom, ITrend } from '../../protocol';
import { fullest, levelOf, soonestFull } from '../level';
import type { Level } from '../state';

const failed = (requested_gib: number, device_index: number | null): IOom => ({
  ...EVENTS.oom,
  requested_bytes: gib(requested_gib),
  device_index
});

describe('levelOf', () => {
  // 20 % of 14.7 GiB are 2.94, 22 % 3.23; 5 % are 0.74, 7 % 1.03.
  it.each<[number, Level, Level]>([
    [8.4, 'ok', 'ok'],
    [2.9, 'ok', 'tight'],
    [3.1, 'ok', 'ok'],
    [3.1, 'tight', 'tight'],
    [3.3, 'tight', 'ok'],
    [0.7, 'ok', 'critical'],
    [0.9, 'tight', 'tight'],
    [0.9, 'critical', 'critical'],
    [1.1, 'critical', 'tight'],
    [3.1, 'critical', 'tight'],
    [3.3, 'critical', 'ok']
  ])('should call %d GiB after %s %s', (headroom, previous, expected) => {
    expect(levelOf(deviceWith(headroom), previous, null)).toBe(expected);
  });

  it.each<[string, IOom, Level]>([
    ['would fail again', failed(9, 0), 'critical'],
    ['would fit now', failed(8, 0), 'ok'],
    ['never fits this GPU', failed(99, 0), 'ok'],
    ['was on another GPU', failed(9, 1), 'ok'],
    ['was somewhere', failed(9, null), 'critical']
  ])('should count the last failure when it %s', (_, oom, expected) => {
    expect(levelOf(deviceWith(8.4), 'ok', oom)).toBe(expected);
  });

  it('should have no level for a GPU that is not measured', () => {
    const device = { ...deviceWith(0.1), headroom_bytes: null };
    expect(levelOf(device, 'ok', null)).toBe('ok');
  });
});

describe('fullest', () => {
  it('should find the GPU with the least headroom', () => {
    const devices = [deviceWith(8), deviceWith(2), deviceWith(5)];
    expect(fullest(devices)).toBe(devices[1]);
    expect(fullest([])).toBeNull();
  });
});

describe('soonestFull', () => {
  const full = (full_in_s: number | null): ITrend => ({ ...TREND, full_in_s });

  it.each([
    [[], false, null],
    [[full(40)], false, 40],
    [[full(90), full(30)], false, 30],
    [[full(121)], false, null],
    [[full(121)], true, 121],
    [[full(141)], true, null],
    [[full(null)], true, null],
    [[{ ...full(40), state: 'steady' as const }], true, null]
  ])('should find the soonest (%#)', (trends, wasFilling, expected) => {
    expect(soonestFull(trends, wasFilling)?.full_in_s ?? null).toBe(expected);
  });
});
