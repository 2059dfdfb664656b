import { nullTranslator } from '@jupyterlab/translation';

import { DRY_RUN, FOUND } from '../../__tests__/dryrun';
import { FakeMemory, settle } from '../../__tests__/memory';
import { message } from '../../__tests__/report';
import { DryRun, dryRunOf } from '../dryrun';

const trans = nullTranslator.load('gpu-headroom');
const ARGS = {
  sources: { 'cell-7': 'model(x)' },
  labels: { 'cell-7': 'In [7]' },
  gpu: 'T4',
  report_id: null,
  agreed: false,
  largest_on_each: false,
  values_to: null
};

describe('DryRun', () => {
  let memory: FakeMemory;
  let dryRun: DryRun;

  beforeEach(() => {
    memory = new FakeMemory({ dry_run: () => ({ status: 'queued' }) as never });
    dryRun = new DryRun(memory);
  });

  it('should continue until its last event, with the results so far', async () => {
    const begun = dryRun.begin(ARGS, trans);
    await settle();
    expect(memory.requests).toEqual([
      ['dry_run', { ...ARGS, action: 'begin' }]
    ]);
    expect(dryRun.isGoing).toBe(true);
    memory.send({ ...DRY_RUN, status: 'running' });
    memory.send({ ...DRY_RUN, status: 'running', found: null });
    expect(dryRun.step?.found).toEqual(FOUND);
    memory.send({ ...DRY_RUN, status: 'done', message: null });
    expect(await begun).toBeNull();
    expect(dryRun.isGoing).toBe(false);
    expect(dryRun.step?.status).toBe('done');
  });

  it('should return why it did not start', async () => {
    memory = new FakeMemory();
    dryRun = new DryRun(memory);
    expect(await dryRun.begin(ARGS, trans)).toBe('The helper does not answer.');
    expect(dryRun.isGoing).toBe(false);
  });

  it('should be one at a time, and keep the one in progress', async () => {
    memory.send(DRY_RUN);
    expect(await dryRun.begin(ARGS, trans)).toBe(
      'A dry run is already running in this kernel.'
    );
    expect(memory.requests).toEqual([]);
    expect(dryRun.step).toEqual(DRY_RUN);
  });

  it('should be stopped by its own request', async () => {
    const begun = dryRun.begin(ARGS, trans);
    await settle();
    await dryRun.cancel();
    expect(memory.requests[1]?.[1]).toMatchObject({ action: 'end' });
    const said = message('The dry run was ended.');
    memory.send({ ...DRY_RUN, status: 'failed', message: said, found: null });
    await begun;
    expect(dryRun.step?.message).toEqual(said);
  });

  it.each([
    [
      'another helper',
      () => {
        memory.restart();
      }
    ],
    [
      'no helper',
      () => {
        memory.set({ phase: 'off' });
      }
    ],
    [
      'no kernel',
      () => {
        memory.dispose();
      }
    ]
  ])('should end with the helper that started it: %s', async (_, lose) => {
    const begun = dryRun.begin(ARGS, trans);
    await settle();
    lose();
    expect(await begun).toBeNull();
    expect(dryRun.isGoing).toBe(false);
  });

  it('should show a dry run started by another front end', () => {
    memory.send(DRY_RUN);
    expect(dryRun.isGoing).toBe(true);
    expect(dryRun.reportId).toBeNull();
  });

  it('should not treat a dry run of another front end as its own', async () => {
    const begun = dryRun.begin({ ...ARGS, report_id: 'report-1' }, trans);
    await settle();
    memory.send({ ...DRY_RUN, status: 'done', message: null });
    await begun;
    expect(dryRun.reportId).toBe('report-1');
    memory.send({ ...DRY_RUN, request_id: 'request-2', found: null });
    expect(dryRun.reportId).toBeNull();
    expect(dryRun.step?.found).toBeNull();
  });

  it('should be one for each kernel', () => {
    expect(dryRunOf(memory)).toBe(dryRunOf(memory));
    expect(dryRunOf(new FakeMemory())).not.toBe(dryRunOf(memory));
  });
});
