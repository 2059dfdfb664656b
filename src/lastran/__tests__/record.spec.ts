import { nullTranslator } from '@jupyterlab/translation';

import { gib } from '../../__tests__/report';
import { CELL, DEVICE } from '../../__tests__/samples';
import type { ICell, IDevice } from '../../protocol';
import { type ILastRan, readLastRan, sayLastRan, withRun } from '../record';

const trans = nullTranslator.load('gpu-headroom');

const A100: IDevice = {
  ...DEVICE,
  index: 0,
  simulated: false,
  name: 'NVIDIA A100-SXM4-40GB',
  capacity_bytes: gib(40)
};
const T4: IDevice = { ...A100, name: 'Tesla T4', capacity_bytes: gib(14.7) };
const SIMULATED: IDevice = { ...T4, simulated: true };

const run = (peak: number | null, change: Partial<ICell> = {}): ICell => ({
  ...CELL,
  cell_id: 'one',
  status: 'ok',
  memory: CELL.memory.slice(0, 1).map(each => ({
    ...each,
    device_index: 0,
    peak_bytes: peak,
    peak_at_most_bytes: peak
  })),
  ...change
});

const record = (change: Partial<ILastRan> = {}): ILastRan => ({
  name: 'NVIDIA A100-SXM4-40GB',
  capacity_bytes: gib(40),
  peak_bytes: gib(31),
  cell_id: 'one',
  ...change
});

const CELLS = ['one', 'two'];

describe('withRun', () => {
  it('should remember the GPU and the highest peak of a cell', () => {
    expect(withRun(undefined, run(gib(31)), [A100], CELLS)).toEqual({
      last_ran: record()
    });
  });

  it('should keep what else stands there', () => {
    const before = { other: 1, last_ran: record({ peak_bytes: gib(3) }) };
    expect(withRun(before, run(gib(31)), [A100], CELLS)).toEqual({
      other: 1,
      last_ran: record()
    });
  });

  it.each<[string, unknown, ICell, IDevice[]]>([
    ['where it is not wanted', false, run(gib(31)), [A100]],
    ['in what is not ours', 'on', run(gib(31)), [A100]],
    ['of a cell that failed', {}, run(gib(31), { status: 'oom' }), [A100]],
    ['of a cell that runs', {}, run(gib(31), { status: 'running' }), [A100]],
    ['of a cell without a peak', {}, run(null), [A100]],
    ['of a cell without memory', {}, run(0), [A100]],
    ['of another notebook', {}, run(gib(1), { cell_id: 'three' }), [A100]],
    ['of an unknown GPU', {}, run(gib(31)), []],
    [
      'of a smaller peak',
      { last_ran: record({ cell_id: 'two' }) },
      run(1),
      [T4]
    ],
    ['of the same peak', { last_ran: record() }, run(gib(31.2)), [A100]]
  ])('should change nothing %s', (_, metadata, cell, devices) => {
    expect(withRun(metadata, cell, devices, CELLS)).toBeNull();
  });

  it.each([gib(35), null])('should remember what bounds a peak: %s', most => {
    const memory = run(gib(31)).memory.map(each => ({
      ...each,
      peak_at_most_bytes: most
    }));
    const kept = { last_ran: record({ peak_at_most_bytes: most }) };
    const ran = run(gib(31), { memory });
    expect(withRun(undefined, ran, [A100], CELLS)).toEqual(kept);
    expect(withRun(kept, ran, [A100], CELLS)).toBeNull();
    expect(withRun(kept, run(gib(31)), [A100], CELLS)).toEqual({
      last_ran: record()
    });
  });

  it('should forget a peak whose cell needs less now, or is gone', () => {
    const now = { name: 'Tesla T4', peak_bytes: gib(9), cell_id: 'one' };
    for (const cell_id of ['one', 'gone']) {
      const before = { last_ran: record({ cell_id }) };
      expect(withRun(before, run(gib(9)), [T4], CELLS)).toMatchObject({
        last_ran: now
      });
    }
  });
});

describe('readLastRan', () => {
  it.each([
    undefined,
    null,
    false,
    [],
    'x',
    { last_ran: 7 },
    { last_ran: { ...record(), peak_bytes: '31 GiB' } },
    { last_ran: { ...record(), peak_bytes: -1 } },
    { last_ran: { ...record(), name: 'x'.repeat(10_000) } }
  ])('should find no record in %j', metadata => {
    expect(readLastRan(metadata)).toBeNull();
  });
});

describe('sayLastRan', () => {
  it('should say what was needed, where, and what there is now', () => {
    const sentence = sayLastRan(record(), [T4], trans);
    expect(sentence).toBe(
      'This notebook last needed 31.0 GiB (NVIDIA A100-SXM4-40GB, 40.0 GiB). ' +
        'This GPU has 14.7 GiB: unchanged, it will not fit.'
    );
  });

  it('should say between which sizes the need was', () => {
    const last = record({ peak_at_most_bytes: gib(35) });
    expect(sayLastRan(last, [T4], trans)).toContain('needed 31.0–35.0 GiB (');
  });

  it('should be short enough for a notification', () => {
    for (const most of [undefined, gib(35), null]) {
      const name = 'x'.repeat(200);
      const last = record({ name, peak_at_most_bytes: most });
      expect(sayLastRan(last, [T4], trans)?.length).toBeLessThanOrEqual(140);
    }
  });

  it.each<[string, ILastRan, IDevice[]]>([
    ['it fits', record({ peak_bytes: gib(9) }), [T4]],
    ['it fits on one of several', record(), [T4, A100]],
    ['there is no GPU', record(), []],
    ['the size is not known', record(), [{ ...T4, capacity_bytes: null }]],
    ['it was simulated', record({ name: null }), [T4]],
    ['this one is simulated', record(), [SIMULATED]]
  ])('should be silent where %s', (_, last, devices) => {
    expect(sayLastRan(last, devices, trans)).toBeNull();
  });
});
