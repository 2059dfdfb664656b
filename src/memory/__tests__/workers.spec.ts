import { nullTranslator } from '@jupyterlab/translation';

import { PSEUDO } from '../../__tests__/pseudo';
import { gib } from '../../__tests__/report';
import { DEVICE, deviceWith, SAMPLE } from '../../__tests__/samples';
import {
  RANK,
  RANK_GPU,
  RANKS,
  UNMEASURED,
  workersWith
} from '../../__tests__/workers';
import type { EngineName, ISample } from '../../protocol';
import { INITIAL_STATE } from '../model';
import type { IMemoryState } from '../state';
import { type IWorkersReading, percentOf, readWorkers } from '../workers';
import {
  countAll,
  countWorkers,
  describeUse,
  describeWorkers,
  gaugeOf,
  nameGpu,
  placeOf,
  workersOn
} from '../workerwords';

const trans = nullTranslator.load('gpu-headroom');

const ENGINES: EngineName[] = [
  'command',
  'dask',
  'ipyparallel',
  'process',
  'rank',
  'ray'
];

const FULL = { ...RANK_GPU, used_bytes: gib(13.7) };

function stateWith(sample: Partial<ISample>): IMemoryState {
  return {
    ...INITIAL_STATE,
    phase: 'live',
    sample: { ...SAMPLE, ...sample },
    sampleAt_ms: 0
  };
}

describe('the reading of workers', () => {
  const read = (sample: Partial<ISample>, now = 0): IWorkersReading | null =>
    readWorkers(stateWith(sample), now);

  it('should be null if none are measured', () => {
    expect(readWorkers(INITIAL_STATE, 0)).toBeNull();
    expect(read({})).toBeNull();
    expect(
      read({ workers: workersWith({ engines: [UNMEASURED] }) })
    ).toBeNull();
  });

  it('should be null while numbers are old', () => {
    const workers = workersWith({});
    expect(read({ workers, busy: true }, 2000)).not.toBeNull();
    expect(read({ workers, busy: true }, 4000)).toBeNull();
  });

  it('should count running workers, by their engine', () => {
    const engines = [RANKS, UNMEASURED, { ...UNMEASURED, live: 38 }];
    expect(read({ workers: workersWith({ engines }) })?.workers).toEqual([
      { engine: 'rank', count: 2 },
      { engine: 'dask', count: 40 }
    ]);
  });

  it.each([
    [RANK_GPU, deviceWith(8.4), true],
    [RANK_GPU, deviceWith(1), false],
    [{ ...RANK_GPU, used_bytes: DEVICE.used_bytes }, DEVICE, false],
    [{ ...RANK_GPU, used_bytes: null }, DEVICE, false],
    [RANK_GPU, { ...DEVICE, used_bytes: null }, true],
    [null, DEVICE, false]
  ])(
    'should compare with the own devices (%#)',
    (fullest, device, isFuller) => {
      expect(
        read({ devices: [device], workers: workersWith({ fullest }) })
      ).toMatchObject({ gpu: fullest, isFuller, isAlone: false });
    }
  );

  it('should be alone if the kernel has nothing on a GPU', () => {
    const workers = workersWith({});
    const alone = { isFuller: true, isAlone: true };
    expect(read({ devices: [], state: 'no_gpu', workers })).toMatchObject(
      alone
    );
    expect(read({ state: 'not_initialised', workers })).toMatchObject(alone);
  });

  it('should be as full as was measured', () => {
    expect(percentOf(RANK_GPU)).toBe(67);
    expect(percentOf({ ...RANK_GPU, capacity_bytes: 0 })).toBeNull();
    expect(percentOf({ ...RANK_GPU, capacity_bytes: null })).toBeNull();
    expect(percentOf({ ...RANK_GPU, used_bytes: null })).toBeNull();
  });
});

describe('the texts of workers', () => {
  const reading: IWorkersReading = {
    workers: [{ engine: 'rank', count: 2 }],
    gpu: FULL,
    isFuller: true,
    isAlone: false
  };

  it.each([
    ['rank', '2 ranks', '1 rank'],
    ['dask', '2 Dask workers', '1 Dask worker'],
    ['ray', '2 Ray workers', '1 Ray worker'],
    ['ipyparallel', '2 engines', '1 engine'],
    ['command', '2 processes', '1 process'],
    ['process', '2 processes', '1 process']
  ] as const)('should count those of %s', (engine, two, one) => {
    expect(countWorkers({ engine, count: 2 }, trans)).toBe(two);
    expect(countWorkers({ engine, count: 1 }, trans)).toBe(one);
  });

  it('should count those of several kinds together', () => {
    const dask = { engine: 'dask', count: 40 } as const;
    expect(countAll([...reading.workers, dask], trans)).toBe('42 workers');
  });

  it.each<[Partial<IWorkersReading>, string]>([
    [{}, '2 ranks · fullest worker 93%'],
    [{ isAlone: true }, '2 ranks · fullest 93%'],
    [{ isFuller: false }, '2 ranks'],
    [{ gpu: null, isFuller: false, isAlone: true }, '2 ranks']
  ])('should be those of the gauge (%#)', (change, text) => {
    expect(gaugeOf({ ...reading, ...change }, trans)).toBe(text);
  });

  it('should describe them in a sentence', () => {
    expect(describeWorkers(reading, trans)).toBe(
      'This notebook sends work to 2 ranks; the fullest of their GPUs is GPU 1: 13.7 of 14.7 GiB used.'
    );
    expect(describeWorkers({ ...reading, gpu: null }, trans)).toBe(
      'This notebook sends work to 2 ranks.'
    );
  });

  it('should show the measured use of a GPU', () => {
    expect(nameGpu({ ...FULL, index: null }, trans)).toBe('Tesla T4');
    expect(nameGpu({ ...FULL, index: null, name: null }, trans)).toBe('GPU');
    expect(describeUse({ ...FULL, capacity_bytes: null }, trans)).toBe(
      '13.7 GiB'
    );
    expect(describeUse({ ...FULL, used_bytes: null }, trans)).toBe(
      'not measured'
    );
  });

  it('should name the machine of a GPU that may be remote', () => {
    expect(placeOf(FULL, trans)).toBe('GPU 1');
    const dask = { ...RANK, engine: 'dask', rank: null } as const;
    expect(placeOf({ ...FULL, workers: [dask] }, trans)).toBe('GPU 1, node1');
  });

  it('should show what they use of a device of the kernel', () => {
    const state = stateWith({ workers: workersWith({}) });
    expect(workersOn(DEVICE, state, trans)).toEqual({
      name: 'of it, 2 workers of this notebook',
      bytes: gib(11)
    });
    expect(workersOn({ ...DEVICE, index: 1 }, state, trans)).toBeNull();
    expect(workersOn(DEVICE, INITIAL_STATE, trans)).toBeNull();
  });

  it.each(ENGINES)('should all be translated for %s', engine => {
    expect(countWorkers({ engine, count: 2 }, PSEUDO)).toMatch(/^⟦.*⟧$/);
  });
});
