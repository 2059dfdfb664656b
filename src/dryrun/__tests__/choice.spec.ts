import { readFileSync } from 'node:fs';

import { GPUS } from '../choice';

const MODULE = 'python_helper/gpu_dry_run/gpus.py';

describe('Choice', () => {
  it('should list the GPUs of the helper', () => {
    const [, table = ''] =
      /_SEEN[^=]*= \((.*?)\n\)/s.exec(readFileSync(MODULE, 'utf8')) ?? [];
    const names = [...table.matchAll(/\(\s*"([^"]+)",\s*\d+,/g)].map(
      ([, name]) => name
    );
    expect(names.length).toBeGreaterThan(5);
    expect([...GPUS].sort()).toEqual(names.sort());
  });
});
