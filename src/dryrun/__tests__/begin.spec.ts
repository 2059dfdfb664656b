import { nullTranslator } from '@jupyterlab/translation';

import { DRY_RUN } from '../../__tests__/dryrun';
import { FakeMemory, settle } from '../../__tests__/memory';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import { until } from '../../__tests__/rendering';
import { message } from '../../__tests__/report';
import { runDry } from '../begin';

const trans = nullTranslator.load('gpu-headroom');

const CELLS = {
  sources: { 'cell-2': 'train()', 'cell-7': 'model.push_to_hub("mine")' },
  labels: { 'cell-2': 'In [2]', 'cell-7': 'In [7]' },
  gpu: 'T4',
  report_id: null
};

describe('a dry run that asks for confirmation', () => {
  let memory: FakeMemory;
  let begun: Promise<string | null>;

  const dialog = (): HTMLElement | null =>
    document.querySelector('.jp-Dialog-content');

  const press = async (label: string): Promise<void> => {
    await until(() => dialog() !== null);
    [...(dialog()?.querySelectorAll('button') ?? [])]
      .find(({ textContent }) => textContent === label)
      ?.click();
    await until(() => dialog() === null);
  };

  const requested = (): unknown[] => memory.requests.map(([, args]) => args);

  const begin = async (change: Partial<typeof DRY_RUN> = {}): Promise<void> => {
    silenceYjs();
    memory = new FakeMemory({
      dry_run: () => Promise.resolve({ status: 'queued' })
    });
    const panel = makePanel([{ id: 'cell-2', source: 'train()' }]);
    begun = runDry(memory, panel, CELLS, trans);
    await settle();
    memory.send({ ...DRY_RUN, status: 'asking', message: null, ...change });
    await until(() => dialog() !== null);
  };

  const end = async (): Promise<void> => {
    await settle();
    memory.send({ ...DRY_RUN, request_id: 'request-2', status: 'done' });
    await begun;
  };

  it('should run the cells that do more, or leave them out', async () => {
    await begin();
    expect(dialog()?.textContent).toContain('In [7]: model.push_to_hub');
    await press('Leave them out');
    await end();
    expect(requested()[1]).toMatchObject({
      agreed: true,
      sources: { 'cell-2': 'train()' }
    });
    expect(requested()[1]).not.toHaveProperty('sources.cell-7');
    await begin();
    await press('Run them');
    await end();
    expect(requested()[1]).toMatchObject({ sources: CELLS.sources });
  });

  it('should run nothing without consent', async () => {
    await begin({ asks: [], message: message('There is no sandbox.') });
    expect(dialog()?.textContent).toContain('Run without a sandbox?');
    expect(dialog()?.textContent).toContain('There is no sandbox.');
    await press('Cancel');
    expect(await begun).toBeNull();
    expect(requested()).toHaveLength(1);
  });
});
