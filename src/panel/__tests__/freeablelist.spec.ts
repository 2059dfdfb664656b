import { nullTranslator } from '@jupyterlab/translation';
import { PromiseDelegate } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';

import { FakeGpuMemory, FakeMemory, goOn } from '../../__tests__/memory';
import { rendered, until } from '../../__tests__/rendering';
import { message } from '../../__tests__/report';
import { CELL, EVENTS, SAMPLE } from '../../__tests__/samples';
import type { IItem } from '../../protocol';
import {
  CACHE,
  makeItem,
  makePlan,
  makeVariable,
  OUTPUT,
  say,
  TRACEBACK
} from '../../release/__tests__/plans';
import { FakeServices } from '../../release/__tests__/services';
import { PanelModel } from '../model';
import { GpuPanel } from '../panel';
import { addSections, makeHolders } from './held';

const trans = nullTranslator.load('gpu-headroom');

describe('what can be freed, in the panel', () => {
  let memory: FakeMemory;
  let services: FakeServices;
  let inserted: string[][];
  let page: FakeGpuMemory;
  let panel: GpuPanel;

  const all = (selector: string): HTMLElement[] => [
    ...panel.node.querySelectorAll<HTMLElement>(selector)
  ];

  const text = (): string => panel.node.textContent ?? '';

  const expectText = async (words: string): Promise<void> => {
    await until(() => text().includes(words));
    expect(text()).toContain(words);
  };

  const press = async (label: string): Promise<void> => {
    const found = (): HTMLElement | undefined =>
      all('button').find(node => node.textContent === label);
    await until(() => found() !== undefined);
    found()?.click();
    await rendered();
  };

  const plan = async (...items: IItem[]): Promise<void> => {
    memory.send(makePlan(items));
    await until(() => all('.jp-GpuHeadroom-item').length > 0);
  };

  beforeEach(async () => {
    memory = new FakeMemory({
      holders: () => Promise.resolve({ status: 'queued', last: null }),
      plan: () => Promise.resolve({ status: 'queued' }),
      cancel: () => Promise.resolve({ cancelled: true })
    });
    memory.set({
      sample: { ...SAMPLE, busy: false },
      sampleAt_ms: Date.now(),
      cell: { ...CELL, status: 'ok' }
    });
    services = new FakeServices();
    inserted = [];
    page = new FakeGpuMemory(memory);
    const model = new PanelModel({
      memory: page,
      sessions: services.sessions,
      insertCell: () => (_, items) => {
        inserted.push(items.map(({ id }) => id));
      },
      trans,
      documentName: () => 'train.ipynb'
    });
    addSections(model);
    panel = new GpuPanel(model, () => undefined);
    Widget.attach(panel, document.body);
    panel.hide();
    panel.show();
    await until(() => all('.jp-GpuHeadroom-checklist').length > 0);
  });

  afterEach(() => {
    panel.dispose();
  });

  it('should show that it is measuring only if that takes long', async () => {
    await rendered();
    expect(text()).not.toContain('Measuring');
    await goOn();
    await expectText('Measuring…');
    await plan(TRACEBACK);
    const [list] = all('.jp-GpuHeadroom-checklist');
    await until(() => !(list?.textContent ?? '').includes('Measuring'));
    expect(list?.textContent).toContain('Title of traceback');
  });

  it('should offer no second release while one is in progress', async () => {
    await plan(TRACEBACK);
    memory.answers.release = () => new Promise(() => undefined);
    void services.sessions
      .get(memory)
      .begin({ items: null, confirmed: [], report_id: null });
    await rendered();
    await press('Free selected (0.9 GiB)');
    expect(services.released).toEqual([]);
    expect(text()).not.toContain('Freeing…');
  });

  it('should list it with the resulting headroom', async () => {
    await plan(TRACEBACK, OUTPUT, CACHE);
    await expectText('Title of traceback0.9 GiB');
    await expectText('Free selected (1.9 GiB)');
    await expectText('headroom 8.4 → 10.3 GiB');
    const total = all('.jp-GpuHeadroom-total')[2];
    await until(() => total?.textContent === '3.0 GiB');
    expect(total?.textContent).toBe('3.0 GiB');
  });

  it('should free what is checked', async () => {
    await plan(TRACEBACK, OUTPUT);
    all('input')[0]?.click();
    await rendered();
    await press('Free selected (1.0 GiB)');
    expect(services.prices).toEqual([]);
    expect(services.released).toEqual([[['output:5'], []]]);
  });

  it('should free nothing without the consent that it needs', async () => {
    services.isAgreed = false;
    await plan(TRACEBACK, makeVariable('model'));
    all('input')[1]?.click();
    await rendered();
    await press('Free selected (1.9 GiB)');
    expect(services.prices).toEqual([['variable:model']]);
    expect(services.released).toEqual([]);
    services.isAgreed = true;
    await press('Free selected (1.9 GiB)');
    expect(services.released).toEqual([
      [['traceback', 'variable:model'], ['variable:model']]
    ]);
  });

  it('should free in the kernel whose list it was, whatever is focused by then', async () => {
    const agreed = new PromiseDelegate<boolean>();
    services.confirm = () => agreed.promise;
    await plan(TRACEBACK, makeVariable('model'));
    all('input')[1]?.click();
    await rendered();
    await press('Free selected (1.9 GiB)');
    page.current = new FakeMemory({});
    page.currentChanged.emit();
    agreed.resolve(true);
    await rendered();
    expect(services.releasedIn).toEqual([memory]);
    expect(services.released).toEqual([
      [['traceback', 'variable:model'], ['variable:model']]
    ]);
  });

  it('should insert exactly what is checked as a cell', async () => {
    await plan(TRACEBACK, OUTPUT);
    await press('Insert as cell');
    expect(inserted).toEqual([['traceback', 'output:5']]);
  });

  it('should move back what was moved', async () => {
    await plan(makeItem('restore:model', { kind: 'restore', safe: false }));
    await press('Move back');
    expect(services.released).toEqual([[['restore:model'], ['restore:model']]]);
  });

  it('should show that freeing is queued, and cancel it', async () => {
    await plan(TRACEBACK);
    memory.set({
      cell: { ...CELL, status: 'running' },
      sample: { ...SAMPLE, queued: ['release-1'] }
    });
    await expectText('Freeing is queued. Starts when In [7] finishes.');
    await press('Cancel freeing');
    expect(memory.requests.pop()).toEqual([
      'cancel',
      { cancelled_id: 'release-1' }
    ]);
  });

  it('should free the safe set once a cell ends that started unmeasured', async () => {
    memory.set({
      sample: { ...SAMPLE, busy: true },
      cell: { ...CELL, status: 'running' }
    });
    await expectText('Freeable memory is measured when it finishes.');
    await press('Free when it finishes');
    expect(services.released).toEqual([[null, []]]);
  });

  it('should show that nothing can be freed without a name', async () => {
    memory.send(makePlan([makeItem('output:1', { expected_bytes: 4096 })]));
    await expectText(
      'Nothing larger than 10 MiB can be freed without deleting your variables.'
    );
  });

  it('should not show that if the measurement is incomplete', async () => {
    const gap = message('plan.incomplete');
    memory.send({ ...makePlan([]), complete: false, message: gap });
    await expectText('Not all was measured');
    expect(text()).not.toContain('Nothing larger than 10 MiB can be freed');
  });

  describe('by the row of a holder', () => {
    const history = makeVariable('history', { names: ['history', 'losses'] });
    const offload = makeItem('offload', {
      name: 'model',
      kind: 'offload',
      safe: false,
      blocked: say('There is not enough memory in the host.')
    });

    const row = (): HTMLElement | undefined =>
      all('[role=row][data-id="name:history"]')[0];

    const key = async (name: string): Promise<void> => {
      const event = { key: name, bubbles: true, cancelable: true };
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', event)
      );
      await rendered();
    };

    beforeEach(async () => {
      memory.send(makeHolders());
      await until(() => row() !== undefined);
      await plan(TRACEBACK, history, offload);
      await rendered();
    });

    it('should delete a name with all its aliases', async () => {
      row()?.click();
      await press('del history, losses');
      expect(services.prices).toEqual([['variable:history']]);
      expect(services.released).toEqual([
        [['variable:history'], ['variable:history']]
      ]);
    });

    it('should delete it by the key, in its row only', async () => {
      row()?.focus();
      await key('Delete');
      expect(services.released).toHaveLength(1);
      all('[data-id=not_attributed]')[0]?.focus();
      await key('Delete');
      expect(services.released).toHaveLength(1);
    });

    it('should show why it cannot be done', async () => {
      all('[role=row][data-id="name:model"]')[0]?.click();
      await rendered();
      const move = all('button').find(
        ({ textContent }) => textContent === 'Move to CPU'
      );
      expect(move?.getAttribute('aria-disabled')).toBe('true');
      expect(move?.parentElement?.title).toBe(
        'There is not enough memory in the host.'
      );
      move?.click();
      await rendered();
      expect(services.released).toEqual([]);
    });

    it('should offer nothing for what no plan names', () => {
      const labels = all('[data-id="name:optimizer"] button').map(node =>
        node.getAttribute('aria-label')
      );
      expect(labels).toEqual(['What refers to it?']);
    });
  });

  it('should measure again after a release, while it is displayed', async () => {
    await plan(TRACEBACK);
    const asked = (): number =>
      memory.requests.filter(([type]) => type === 'plan').length;
    const before = asked();
    memory.set({ lastReleased: EVENTS.released });
    await until(() => asked() > before);
    expect(asked()).toBe(before + 1);
  });
});
