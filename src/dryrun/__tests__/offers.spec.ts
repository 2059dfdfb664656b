import { nullTranslator } from '@jupyterlab/translation';

import { DRY_RUN, FOUND } from '../../__tests__/dryrun';
import { FakeMemory } from '../../__tests__/memory';
import { DryRun } from '../dryrun';
import type { IDryRunTry } from '../../protocol';
import { triedOf } from '../offers';

const trans = nullTranslator.load('gpu-headroom');
const [FITTING] = FOUND.tries as [IDryRunTry];

describe('triedOf', () => {
  const tried = (
    tries: readonly IDryRunTry[],
    status: 'asking' | 'running' | 'done' = 'done',
    fits = FOUND.fits
  ) => {
    const memory = new FakeMemory({
      dry_run: () => ({ status: 'queued' }) as never
    });
    const dryRun = new DryRun(memory);
    void dryRun.begin(
      {
        sources: {},
        labels: {},
        gpu: '',
        report_id: 'report-1',
        agreed: false,
        largest_on_each: false,
        values_to: null
      },
      trans
    );
    memory.send({
      ...DRY_RUN,
      status,
      message: status === 'done' ? null : DRY_RUN.message,
      found: { ...FOUND, fits: [...fits], tries: [...tries] }
    });
    return triedOf(dryRun, 'report-1', trans);
  };

  it('should be the largest number that fits, of all that were tried', () => {
    const tries = [
      FITTING,
      { ...FITTING, number: 768, fits: false },
      { ...FITTING, number: 640 },
      { ...FITTING, number: 700, fits: false }
    ];
    expect(tried(tries)?.byRemedy['smaller-batch']?.number).toBe(640);
  });

  it('should be the last one that was tried if nothing fits', () => {
    const tries = [512, 256].map(number => ({
      ...FITTING,
      number,
      fits: false
    }));
    expect(tried(tries)?.byRemedy['smaller-batch']?.number).toBe(256);
  });

  it('should show progress', () => {
    expect(tried([], 'running')).toMatchObject({
      isGoing: true,
      text: expect.stringContaining('In [4] runs') as string
    });
  });

  it('should show that the cells fit unchanged in a fresh process', () => {
    const fits = FOUND.fits.map(each => ({ ...each, fits: true }));
    expect(tried([], 'done', fits)?.text).toContain('fit unchanged');
  });

  it('should be empty if the user declined', () => {
    expect(tried([], 'asking')).toBeNull();
  });

  it('should apply to its own report only', () => {
    const dryRun = new DryRun(new FakeMemory());
    expect(triedOf(dryRun, 'report-2', trans)).toBeNull();
  });
});
