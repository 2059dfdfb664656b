import { nullTranslator } from '@jupyterlab/translation';

import { RANK } from '../../__tests__/workers';
import { nameCardWorker } from '../words';

const trans = nullTranslator.load('gpu-headroom');

describe('a worker', () => {
  it('should be named as its engine does, else by what it has', () => {
    const none = { ...RANK, rank: null };
    expect(nameCardWorker(none, trans)).toBe('process 4712');
    expect(nameCardWorker({ ...none, pid: null }, trans)).toBe(
      'another process'
    );
    expect(nameCardWorker(RANK, trans)).toBe('rank 1');
    expect(nameCardWorker({ ...RANK, name: 'gpu-a' }, trans)).toBe('gpu-a');
    const engine = { ...RANK, engine: 'ipyparallel' } as const;
    expect(nameCardWorker(engine, trans)).toBe('engine 1');
  });
});
