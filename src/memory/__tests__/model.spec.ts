import {
  CELL,
  DEVICE,
  deviceWith,
  EVENTS,
  HELLO,
  POINT,
  REPLIES,
  SAMPLE,
  TREND
} from '../../__tests__/samples';
import type { Event } from '../../protocol';
import { type Change, INITIAL_STATE, reduce, staleness } from '../model';
import type { IMemoryState } from '../state';

const NOW = 1_000_000;

const LIVE: IMemoryState = {
  ...INITIAL_STATE,
  phase: 'live',
  hello: HELLO,
  sample: SAMPLE,
  sampleAt_ms: NOW
};

const BUSY: IMemoryState = {
  ...LIVE,
  cell: { ...CELL, status: 'running', end_s: null }
};

const after = (state: IMemoryState, ...events: Event[]): IMemoryState =>
  events.reduce(
    (last, event) => reduce(last, { kind: 'event', event, now: NOW }),
    state
  );

describe('reduce', () => {
  it('should keep the newest reading', () => {
    const newer = { ...SAMPLE, seq: 9 };
    expect(after(LIVE, newer).sample).toBe(newer);
    expect(after(LIVE, newer, { ...SAMPLE, seq: 8 }).sample).toBe(newer);
  });

  it('should leave a level by more than it was entered by, whatever waits', () => {
    const read = (seq: number, headroom_gib: number): Event => ({
      ...SAMPLE,
      seq,
      devices: [deviceWith(headroom_gib)],
      queued: ['release-1']
    });
    const tight = after(LIVE, read(8, 2));
    expect(tight.levels).toEqual({ 0: 'tight' });
    expect(after(tight, read(9, 3)).levels).toEqual({ 0: 'tight' });
    const eased = after(tight, read(9, 8));
    expect(after(eased, read(10, 3)).levels).toEqual({ 0: 'ok' });
  });

  it('should be about to be full until it takes clearly longer', () => {
    const read = (seq: number, full_in_s: number): Event => ({
      ...SAMPLE,
      seq,
      trends: [{ ...TREND, full_in_s }]
    });
    const soon = after(LIVE, read(8, 40));
    expect(soon.isFilling).toBe(true);
    expect(after(soon, read(9, 130)).isFilling).toBe(true);
    expect(after(soon, read(9, 150)).isFilling).toBe(false);
    expect(after(LIVE, read(8, 130)).isFilling).toBe(false);
  });

  it('should not treat a repeated reading as new', () => {
    const change: Change = { kind: 'event', event: SAMPLE, now: NOW + 9000 };
    expect(reduce(LIVE, change).sampleAt_ms).toBe(NOW);
  });

  it('should ignore events of another helper', () => {
    const event = { ...EVENTS.sample, helper_id: 'helper-0', seq: 99 };
    expect(after(LIVE, event)).toBe(LIVE);
  });

  it('should ignore events while it is not live', () => {
    const state: IMemoryState = { ...LIVE, phase: 'disconnected' };
    expect(after(state, { ...SAMPLE, seq: 99 })).toBe(state);
  });

  it('should drop all numbers when the kernel is lost', () => {
    const change: Change = { kind: 'phase', phase: 'disconnected' };
    const lost = after(LIVE, EVENTS.oom, EVENTS.released);
    expect(reduce(lost, change)).toEqual({
      ...INITIAL_STATE,
      phase: 'disconnected'
    });
  });

  it('should keep the shortage of a cell while it runs', () => {
    const devices = SAMPLE.devices.map(device => ({
      ...device,
      headroom_bytes: 1
    }));
    const [memory] = CELL.memory;
    const ran = after(
      LIVE,
      { ...CELL, memory: memory ? [{ ...memory, device_index: 0 }] : [] },
      { ...SAMPLE, seq: SAMPLE.seq + 1, devices }
    );
    const start = { ...CELL, status: 'running' as const, start_s: 1747058600 };
    const running = after(ran, start);
    expect(running.shortage).toMatchObject({ headroom_bytes: 1 });
    const more = after(running, { ...SAMPLE, seq: SAMPLE.seq + 2 });
    expect(after(more, start).shortage).toBe(running.shortage);
    expect(after(more, { ...start, status: 'ok' }).shortage).toBeNull();
  });

  it('should keep past events when a lease is renewed', () => {
    const change: Change = {
      kind: 'attached',
      reply: REPLIES.attach,
      now: NOW
    };
    expect(reduce(after(LIVE, EVENTS.oom), change).lastOom).toBe(EVENTS.oom);
  });

  it('should start empty with a new helper', () => {
    const hello = { ...HELLO, helper_id: 'helper-2' };
    const reply = { ...REPLIES.attach, hello, sample: null, cell: null };
    const change: Change = { kind: 'attached', reply, now: NOW };
    expect(reduce(after(LIVE, EVENTS.oom), change)).toEqual({
      ...INITIAL_STATE,
      phase: 'live',
      hello
    });
  });

  it('should drop a failure when its cell has succeeded', () => {
    const failed = after(LIVE, EVENTS.oom);
    const another = after(failed, { ...CELL, cell_id: 'cell-8' });
    expect(another.lastOom).toBe(EVENTS.oom);
    expect(after(failed, { ...CELL, status: 'error' }).lastOom).not.toBeNull();
    expect(after(failed, CELL).lastOom).toBeNull();
  });

  it('should not change for events without an effect', () => {
    const { plan, holders, path, snapshot, error, bye } = EVENTS;
    expect(after(LIVE, plan, holders, path, snapshot, error, bye)).toBe(LIVE);
  });

  it('should have no wait for a release that has ended', () => {
    const waiting = after(LIVE, {
      ...SAMPLE,
      seq: 9,
      queued: ['release-1', 'release-2']
    });
    const ended = after(waiting, EVENTS.released);
    expect(ended.sample?.queued).toEqual(['release-2']);
    expect(after(ended, EVENTS.released).sample).toBe(ended.sample);
  });

  it('should keep the last warning until a cell is started', () => {
    const warned = after(LIVE, EVENTS.warning, CELL);
    expect(warned.warning).toBe(EVENTS.warning);
    const started = { ...CELL, status: 'running' as const, start_s: 9e9 };
    expect(after(warned, started).warning).toBeNull();
  });

  it('should keep runs and readings, and add reported earlier ones', () => {
    const state = after(LIVE, { ...SAMPLE, seq: 9 }, CELL);
    const earlier = { ...CELL, start_s: CELL.start_s - 60 };
    const change: Change = {
      kind: 'recalled',
      runs: [earlier, { ...CELL, status: 'running' }],
      points: [POINT]
    };
    const { runs, history } = reduce(state, change);
    expect(runs).toEqual([earlier, CELL]);
    expect(history[0]?.map(({ time_s }) => time_s)).toEqual([
      POINT.time_s,
      SAMPLE.time_s
    ]);
  });

  it('should keep how a kernel died until the next helper is live', () => {
    const death = {
      device: DEVICE,
      host: SAMPLE.host,
      age_ms: 2000,
      isKilled: false
    };
    const died = reduce(LIVE, { kind: 'died', death });
    const sought = reduce(died, { kind: 'phase', phase: 'connecting' });
    expect(sought).toEqual({ ...INITIAL_STATE, death });
    const reply = REPLIES.attach;
    const live = reduce(sought, { kind: 'attached', reply, now: NOW });
    expect(live.death).toBeNull();
  });

  it('should return the same object when a phase is entered twice', () => {
    const change: Change = { kind: 'phase', phase: 'connecting' };
    expect(reduce(INITIAL_STATE, change)).toBe(INITIAL_STATE);
  });
});

describe('staleness', () => {
  it.each<[string, IMemoryState, number, number | null]>([
    ['fresh at rest', LIVE, 60_000, null],
    ['one poll unanswered', { ...LIVE, unansweredPolls: 1 }, 9000, null],
    ['two polls unanswered', { ...LIVE, unansweredPolls: 2 }, 10_000, 10_000],
    ['a heartbeat ago', BUSY, 3000, null],
    ['three heartbeats missing', BUSY, 3001, 3001],
    ['never measured', { ...BUSY, sampleAt_ms: null }, 9000, null],
    ['not live', { ...BUSY, phase: 'disconnected' }, 9000, null]
  ])('should be right for %s', (_, state, passed, expected) => {
    expect(staleness(state, NOW + passed)).toBe(expected);
  });
});
