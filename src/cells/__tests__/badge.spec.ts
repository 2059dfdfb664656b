import { nullTranslator } from '@jupyterlab/translation';

import { EVENTS, KEPT, ranCell as cell } from '../../__tests__/samples';
import type { ICell, ICellMemory, ISample } from '../../protocol';
import { GIB, MIB } from '../../text/format';
import { memorySince, readBadge } from '../badge';
import { rowsOf, textOf } from '../badgewords';

const trans = nullTranslator.load('gpu-headroom');

function sample(in_use_bytes: number, headroom_bytes: number | null): ISample {
  const [device] = EVENTS.sample.devices;
  return {
    ...EVENTS.sample,
    devices: device
      ? [{ ...device, index: 0, in_use_bytes, headroom_bytes }]
      : []
  };
}

function say(run: ICell, now: ICellMemory[] | null = null): string | null {
  const badge = readBadge([run], now);
  const text = badge && textOf(badge, null, trans);
  return text && [text.strong, text.rest].filter(Boolean).join(' · ');
}

describe('readBadge', () => {
  it.each<[string, Partial<ICellMemory>, string | null]>([
    ['growth', {}, '+1.2 GiB · peak 8.1 GiB'],
    ['a release', { change_bytes: -2.4 * GIB }, '−2.4 GiB · peak 8.1 GiB'],
    ['a new peak only', { change_bytes: 0 }, 'no change · peak 8.1 GiB'],
    [
      'a sampled peak',
      { peak_at_most_bytes: null },
      '+1.2 GiB · peak at least 8.1 GiB'
    ],
    [
      'a peak between two sizes',
      { peak_at_most_bytes: 8.6 * GIB },
      '+1.2 GiB · peak 8.1–8.6 GiB'
    ],
    ['nothing', { change_bytes: 0, needed_bytes: 0 }, null],
    ['a peak unknown', { peak_bytes: null }, '+1.2 GiB · peak not measured']
  ])('should show %s', (_, memory, expected) => {
    expect(say(cell({}, memory))).toBe(expected);
  });

  it.each<[string, number | null, boolean]>([
    ['lower', 8 * GIB, true],
    ['as high', 8.1 * GIB, false],
    ['perhaps higher', 8.2 * GIB, false]
  ])('should show a peak after one that was %s', (_, most, isTold) => {
    const before = cell(
      { cell_id: 'b', start_s: 1 },
      {
        peak_bytes: 8 * GIB,
        peak_at_most_bytes: most
      }
    );
    const run = cell({ start_s: 2 }, { change_bytes: 5 * MIB });
    const badge = readBadge([run], null, [before, run]);
    expect(badge !== null).toBe(isTold);
  });

  it.each<[string, Partial<ICell>, string | null]>([
    [
      'what workers used',
      { workers_bytes: 11.2 * GIB },
      '+1.2 GiB · peak 8.1 GiB · workers +11.2 GiB'
    ],
    ['too little', { workers_bytes: 9 * MIB }, '+1.2 GiB · peak 8.1 GiB'],
    [
      'workers of a kernel without a device',
      { workers_bytes: 11.2 * GIB, memory: [] },
      'workers +11.2 GiB'
    ],
    [
      'workers alone, where the kernel did nothing',
      {
        workers_bytes: 11.2 * GIB,
        memory: [{ ...KEPT, change_bytes: 0, needed_bytes: 0 }]
      },
      'workers +11.2 GiB'
    ],
    [
      'workers so far',
      { workers_bytes: GIB, memory: [], status: 'running' },
      'workers +1.0 GiB'
    ],
    ['nothing of either', { workers_bytes: 0, memory: [] }, null]
  ])('should show %s', (_, change, expected) => {
    const run = cell(change);
    expect(say(run)).toBe(expected);
    const badge = readBadge([run], null);
    const rows = badge ? rowsOf(badge, trans).map(([label]) => label) : [];
    expect(rows.includes('Peak of its workers')).toBe(
      expected?.includes('workers') === true
    );
  });

  it('should name the device if there are several', () => {
    const other = { ...KEPT, device_index: 1, change_bytes: 2 * GIB };
    const small = { ...KEPT, change_bytes: 0, needed_bytes: 0 };
    const run = cell({ memory: [small, other] });
    expect(say(run)).toBe('GPU 1: +2.0 GiB · peak 8.1 GiB');
  });

  it('should show a cell that grows, and what is kept', () => {
    const growth = {
      device_index: 0,
      runs: 3,
      bytes_per_run: 600 * MIB,
      holder: 'outputs'
    };
    expect(say(cell({ growth }))).toBe(
      'grew 0.6 GiB on each of the last 3 runs — outputs is kept alive'
    );
    expect(say(cell({ growth: { ...growth, holder: null } }))).toBe(
      'grew 0.6 GiB on each of the last 3 runs'
    );
  });

  it('should show a failure with its request', () => {
    const badge = readBadge([cell({ status: 'oom' })], null);
    const oom = { ...EVENTS.oom, requested_bytes: 2 * GIB };
    expect(badge && textOf(badge, oom, trans)).toEqual({
      strong: 'out of GPU memory',
      rest: 'needed 2.00 GiB more · peak 8.1 GiB'
    });
  });

  it('should show a running cell from the readings so far', () => {
    const start = sample(GIB, 9 * GIB);
    const latest = sample(2 * GIB, 8 * GIB);
    const now = memorySince(start, latest, new Map([[0, 3 * GIB]]));
    expect(say(cell({ status: 'running', memory: [] }), now)).toBe(
      '+1.0 GiB so far · running, peak at least 3.0 GiB'
    );
    expect(say(cell({ status: 'running', memory: [] }))).toBeNull();
  });

  it('should show caught errors if nothing else has changed', () => {
    const quiet = { change_bytes: 0, needed_bytes: 0, peak_bytes: 0 };
    expect(say(cell({}, { ...quiet, ooms: 0 }))).toBeNull();
    expect(say(cell({}, { ...quiet, ooms: 3 }))).toMatch(/caught: 3$/);
    const failed = { status: 'oom' } as const;
    expect(say(cell(failed, { ...quiet, ooms: 1 }))).not.toMatch(/caught/);
  });

  it('should list the last runs, the newest first, and what was swallowed', () => {
    const runs = [
      cell({ start_s: 1 }, { change_bytes: 0 }),
      cell({ start_s: 2 }, { ooms: 2, alloc_retries: 1 })
    ];
    const badge = readBadge(runs, null);
    expect(badge && textOf(badge, null, trans).rest).toMatch(
      / · out-of-memory errors caught: 2$/
    );
    const rows = badge && Object.fromEntries(rowsOf(badge, trans));
    expect(rows).toMatchObject({
      'Last 2 runs': '+1.2 GiB, 0 MiB',
      'Errors that the cell caught': '2',
      'Cache emptied to make room': '1',
      'Needed on top': '3.0 GiB'
    });
  });
});
