import { nullTranslator } from '@jupyterlab/translation';

import { RANK } from '../../__tests__/workers';
import { nameGpuWorker } from '../words';

const trans = nullTranslator.load('gpu-headroom');

describe('a worker', () => {
  it('should be named as its engine does, else by what it has', () => {
    const none = { ...RANK, rank: null };
    expect(nameGpuWorker(none, trans)).toBe('process 4712');
    expect(nameGpuWorker({ ...none, pid: null }, trans)).toBe(
      'another process'
    );
    expect(nameGpuWorker(RANK, trans)).toBe('rank 1');
    expect(nameGpuWorker({ ...RANK, name: 'gpu-a' }, trans)).toBe('gpu-a');
    const engine = { ...RANK, engine: 'ipyparallel' } as const;
    expect(nameGpuWorker(engine, trans)).toBe('engine 1');
  });
});
