import type { INotebookModel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { DRY_RUN, FOUND, UNKNOWN_DRY_RUN } from '../../__tests__/dryrun';
import { FakeMemory, goOn } from '../../__tests__/memory';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import { gib } from '../../__tests__/report';
import type { IDryRunFit } from '../../protocol';
import { Drawing } from '../../lab/drawing';
import { DryRun } from '../dryrun';
import { Here } from '../here';
import { FitsOn } from '../section';
import { describeFit } from '../words';

const trans = nullTranslator.load('gpu-headroom');
const [NOT, FITS, UNKNOWN] = FOUND.fits as [IDryRunFit, IDryRunFit, IDryRunFit];

describe('FitsOn', () => {
  let host: HTMLElement;
  let memory: FakeMemory;
  let dryRun: DryRun;

  const show = (): void => {
    new Drawing(host).draw(<FitsOn dryRun={dryRun} trans={trans} />);
  };

  /** Start a dry run in a notebook of one cell. */
  const place = (): { model: INotebookModel; again: jest.Mock } => {
    const source = `${'\n'.repeat(11)}batch_size = 1024\ntrain()`;
    const panel = makePanel([{ id: 'cell-7', source }]);
    const { model } = panel;
    if (model === null) {
      throw new Error('The panel has no notebook.');
    }
    const again = jest.fn(async () => Promise.resolve('It did not begin.'));
    dryRun.here = new Here(panel, again, trans);
    return { model, again };
  };

  /** React renders later changes when it has time. */
  const drawn = goOn;

  const press = (label: string): void => {
    [...host.querySelectorAll('button')]
      .find(({ textContent }) => textContent === label)
      ?.click();
  };

  beforeEach(() => {
    silenceYjs();
    host = document.createElement('div');
    memory = new FakeMemory({ dry_run: () => ({ status: 'queued' }) as never });
    dryRun = new DryRun(memory);
  });

  it('should show progress, and the results so far', () => {
    memory.send(DRY_RUN);
    show();
    expect(host.textContent).toContain('In [4] runs on a simulated GPU.');
    expect(host.textContent).toContain(
      'Needed at its peak: 9.8 GiB, simulated.'
    );
    expect(host.textContent).toContain(
      'parameters 1.0 GiB, activations 8.0 GiB'
    );
    expect(host.textContent).toContain('8 GiB8.0 GiB1.8 GiB missing');
    expect(host.textContent).toContain('T414.6 GiB4.8 GiB left');
    expect(host.textContent).toContain('L422.0 GiBnot known');
    expect(host.textContent).toContain('Tried on a simulated GPU: 8 GiB');
    expect(host.textContent).toContain('fits, peak 6.1 GiB of 8.0 GiB');
    const [bar] = host.querySelectorAll('[role="img"]');
    expect(bar?.getAttribute('aria-label')).toBe(
      '9.8 GiB of 8.0 GiB needed: 1.8 GiB missing'
    );
    host.querySelector('button')?.click();
    expect(memory.requests[0]?.[1]).toMatchObject({ action: 'end' });
  });

  it('should make an edit that fits, and undo it', async () => {
    memory.send({ ...DRY_RUN, status: 'done', message: null });
    const { model } = place();
    const { sharedModel } = model.cells.get(0);
    const before = sharedModel.getSource();
    show();
    press('Apply');
    await drawn();
    expect(sharedModel.getSource()).toContain('batch_size = 512');
    press('Undo');
    await drawn();
    expect(sharedModel.getSource()).toBe(before);
    sharedModel.setSource('something = else_');
    press('Apply');
    await drawn();
    expect(sharedModel.getSource()).toBe('something = else_');
    expect(host.textContent).toContain(
      'The cell was edited since, so nothing was changed.'
    );
  });

  it('should show that nothing was undone if the cell was edited since', async () => {
    memory.send({ ...DRY_RUN, status: 'done', message: null });
    const { model } = place();
    const { sharedModel } = model.cells.get(0);
    show();
    press('Apply');
    await drawn();
    const mine = `${sharedModel.getSource()}\n# mine`;
    sharedModel.setSource(mine);
    press('Undo');
    await drawn();
    expect(sharedModel.getSource()).toBe(mine);
    expect(host.textContent).toContain(
      'The cell was edited since, so nothing was changed.'
    );
    sharedModel.setSource(mine.replace('\n# mine', ''));
    press('Undo');
    await drawn();
    expect(sharedModel.getSource()).toContain('batch_size = 1024');
    expect(host.textContent).not.toContain('nothing was changed');
  });

  it('should run it with values where a line may need one', async () => {
    memory.send({
      ...DRY_RUN,
      status: 'done',
      message: null,
      found: { ...FOUND, values_to: 'cell-7' }
    });
    const { again } = place();
    show();
    press('Run with values');
    await drawn();
    expect(again).toHaveBeenCalledWith({ values_to: 'cell-7' });
    expect(host.textContent).toContain('It did not begin.');
  });

  it('should look for the largest batch on each GPU', async () => {
    memory.send({ ...DRY_RUN, status: 'done', found: FOUND });
    const { again } = place();
    show();
    press('Largest batch_size on each GPU');
    await drawn();
    expect(again).toHaveBeenCalledWith({ largest_on_each: true });
  });

  it('should show the largest batch that was found', () => {
    const fits = FOUND.fits.map(fit => ({ ...fit, largest: 48 }));
    memory.send({ ...DRY_RUN, status: 'done', found: { ...FOUND, fits } });
    place();
    show();
    expect(host.textContent).toContain('largest batch_size: 48');
    expect(host.textContent).not.toContain('on each GPU');
  });

  it('should show what is unknown, and why it ended', () => {
    memory.send({ ...UNKNOWN_DRY_RUN, status: 'failed' });
    show();
    expect(host.querySelectorAll('button')).toHaveLength(0);
    expect(host.textContent).not.toContain('NaN');
  });
});

describe('describeFit', () => {
  it('should show what is left or missing', () => {
    expect([NOT, FITS, UNKNOWN].map(each => describeFit(each, trans))).toEqual([
      '1.8 GiB missing',
      '4.8 GiB left',
      'not known'
    ]);
  });

  it('should show that it is the cache that does not fit', () => {
    const fit = { ...FITS, fits: false, left_bytes: gib(0.1) };
    expect(describeFit(fit, trans)).toBe(
      'does not fit, though 102 MiB are left'
    );
  });
});
