import {
  CELL,
  DEVICE,
  deviceWith,
  HELLO,
  SAMPLE,
  TREND
} from '../../__tests__/samples';
import type { ISample } from '../../protocol';
import { INITIAL_STATE } from '../model';
import {
  isOver,
  NO_MEMO,
  type Reading,
  readGauge,
  remember,
  settle
} from '../reading';
import type { IMemoryState } from '../state';

const NOW = 1_000_000;

const live = (sample: Partial<ISample> = {}): IMemoryState => ({
  ...INITIAL_STATE,
  phase: 'live',
  hello: HELLO,
  sample: { ...SAMPLE, ...sample },
  sampleAt_ms: NOW
});

const kindOf = (state: IMemoryState, memo = NO_MEMO): Reading['kind'] =>
  readGauge(state, memo, NOW).kind;

describe('readGauge', () => {
  it.each<[IMemoryState['phase'], Reading['kind']]>([
    ['absent', 'hidden'],
    ['connecting', 'hidden'],
    ['starting', 'hidden'],
    ['disconnected', 'disconnected'],
    ['incompatible', 'problem'],
    ['failed', 'problem']
  ])('should show the phase %s as %s', (phase, kind) => {
    expect(kindOf({ ...INITIAL_STATE, phase })).toBe(kind);
  });

  it('should be disconnected while reconnecting to a kernel that was live', () => {
    const memo = remember(NO_MEMO, readGauge(live(), NO_MEMO, NOW), NOW);
    expect(kindOf(INITIAL_STATE, memo)).toBe('disconnected');
  });

  it.each([
    ['click', 'off'],
    ['never', 'hidden'],
    ['notebook', 'hidden']
  ] as const)(
    'should show a helper that is off by %s as %s',
    (offReason, kind) => {
      expect(kindOf({ ...INITIAL_STATE, phase: 'off', offReason })).toBe(kind);
    }
  );

  it.each<[ISample['state'], Reading]>([
    ['no_framework', { kind: 'idle', isLoaded: false, gpu: null, count: 0 }],
    ['not_initialised', { kind: 'idle', isLoaded: true, gpu: null, count: 0 }],
    ['no_gpu', { kind: 'none' }]
  ])('should show a kernel with %s', (state, reading) => {
    const sample = live({ state, devices: [] });
    expect(readGauge(sample, NO_MEMO, NOW)).toEqual(reading);
  });

  it('should show nothing before the first reading', () => {
    expect(kindOf({ ...live(), sample: null })).toBe('hidden');
  });

  it('should show the fullest GPU of several', () => {
    const full = { ...DEVICE, index: 2, headroom_bytes: 1 };
    const reading = readGauge(live({ devices: [DEVICE, full] }), NO_MEMO, NOW);
    expect(reading).toEqual({ kind: 'critical', device: full, count: 2 });
  });

  it('should show the GPU that fills up before one that is tight', () => {
    const trend = { ...TREND, device_index: 1 };
    const devices = [deviceWith(2), { ...deviceWith(8), index: 1 }];
    const reading = readGauge(live({ devices, trends: [trend] }), NO_MEMO, NOW);
    const device = devices[1];
    expect(reading).toEqual({ kind: 'filling', trend, device, count: 2 });
  });

  it('should show the GPU on which the running cell may not fit', () => {
    const devices = [deviceWith(2), { ...deviceWith(8), index: 1 }];
    const shortage = {
      device_index: 1,
      needed: { least_bytes: 9, most_bytes: 9 },
      headroom_bytes: 8
    };
    const state = { ...live({ devices }), cell: CELL, shortage };
    expect(readGauge(state, NO_MEMO, NOW)).toEqual({
      kind: 'short',
      shortage,
      cell: CELL,
      device: devices[1],
      count: 2
    });
  });

  it('should show a sticky CUDA error, whatever was read last', () => {
    const why = {
      id: 'sticky_error.sentence',
      template: 'Stopped.',
      params: {},
      text: 'Stopped.'
    };
    const device = { ...deviceWith(0.4), notes: [why] };
    const reading = readGauge(live({ devices: [device] }), NO_MEMO, NOW);
    expect(reading).toEqual({ kind: 'stopped', why });
  });

  it('should be critical rather than filling up', () => {
    const state = live({ devices: [deviceWith(0.4)], trends: [TREND] });
    expect(kindOf(state)).toBe('critical');
  });

  it.each<[string, Partial<ISample>, Reading['kind']]>([
    ['there is room', {}, 'queued'],
    ['it is tight', { devices: [deviceWith(2)] }, 'tight'],
    ['it is critical', { devices: [deviceWith(0.4)] }, 'critical'],
    ['it fills up', { trends: [TREND] }, 'filling']
  ])('should show that a release waits if %s', (_, sample, kind) => {
    expect(kindOf(live({ queued: ['release-1'], ...sample }))).toBe(kind);
  });

  it('should use the levels and trends of the state, with its hysteresis', () => {
    // Above the limit by less than the hysteresis.
    const close = live({ devices: [deviceWith(3)] });
    expect(kindOf(close)).toBe('ok');
    expect(kindOf({ ...close, levels: { 0: 'tight' } })).toBe('tight');
    const longer = live({ trends: [{ ...TREND, full_in_s: 130 }] });
    expect(kindOf(longer)).toBe('ok');
    expect(kindOf({ ...longer, isFilling: true })).toBe('filling');
  });

  it('should raise no alarm for a pool that was reserved at start', () => {
    const [torch] = DEVICE.frameworks;
    const pool = {
      ...deviceWith(13),
      cached_bytes: 12,
      free_bytes: 1,
      frameworks: torch ? [{ ...torch, preallocated: true }] : []
    };
    expect(kindOf(live({ devices: [pool] }))).toBe('ok');
  });

  it('should show the fullest GPU of an idle kernel', () => {
    const devices = [deviceWith(8), deviceWith(2)];
    const idle = live({ state: 'no_framework', devices });
    expect(readGauge(idle, NO_MEMO, NOW)).toEqual({
      kind: 'idle',
      isLoaded: false,
      gpu: devices[1],
      count: 2
    });
  });

  it('should be stale rather than tight, critical or filling up', () => {
    const full = { ...DEVICE, headroom_bytes: 1 };
    const state = {
      ...live({ devices: [full], trends: [TREND] }),
      cell: { ...CELL, status: 'running' as const }
    };
    expect(readGauge(state, NO_MEMO, NOW + 8000)).toEqual({
      kind: 'stale',
      age_ms: 8000,
      device: full,
      count: 1
    });
  });
});

describe('settle', () => {
  it('should show that there is no GPU after two seconds', () => {
    const none: Reading = { kind: 'none' };
    const idle: Reading = {
      kind: 'idle',
      isLoaded: true,
      gpu: null,
      count: 0
    };
    const first = remember(NO_MEMO, none, NOW);
    const later = remember(first, none, NOW + 1999);
    expect(settle(none, first, NOW)).toEqual(idle);
    expect(settle(none, later, NOW + 1999)).toEqual(idle);
    expect(settle(none, later, NOW + 2000)).toEqual(none);
  });

  it('should wait again after a GPU was there', () => {
    const none: Reading = { kind: 'none' };
    const gpu = readGauge(live(), NO_MEMO, NOW);
    const before = remember(NO_MEMO, none, NOW);
    const between = remember(before, gpu, NOW + 5000);
    expect(settle(gpu, between, NOW + 5000)).toBe(gpu);
    const after = remember(between, none, NOW + 6000);
    expect(settle(none, after, NOW + 6000).kind).toBe('idle');
  });
});

describe('remember', () => {
  it('should keep how long there has been no GPU', () => {
    const none: Reading = { kind: 'none' };
    const first = remember(NO_MEMO, none, NOW);
    const later = remember(first, none, NOW + 9000);
    expect(isOver(later, NOW + 9000)).toBe(false);
    expect(isOver(later, NOW + 10_001)).toBe(true);
    const found = remember(later, readGauge(live(), later, NOW), NOW + 20_000);
    expect(isOver(found, NOW + 20_000)).toBe(false);
  });
});
