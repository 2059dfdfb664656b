import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Widget } from '@lumino/widgets';

import {
  type Answers,
  FakeGpuMemory,
  FakeMemory,
  goOn
} from '../../__tests__/memory';
import { rendered, until } from '../../__tests__/rendering';
import { gib, message, RELEASED } from '../../__tests__/report';
import { CELL, SAMPLE } from '../../__tests__/samples';
import {
  CACHE,
  makeItem,
  makePlan,
  makeVariable,
  OUTPUT,
  say,
  TRACEBACK
} from '../../release/__tests__/plans';
import type { IItem, IReleased } from '../../protocol';
import { FakeServices } from '../../release/__tests__/services';
import { Settings } from '../../settings';
import { GaugeModel } from '../model';
import { GaugeOpener } from '../opener';
// Loaded by the first click; here it is there before.
import '../popup';
import type { GaugeButton } from '../statusitem';

const trans = nullTranslator.load('gpu-headroom');

describe('freeing in the popup', () => {
  let answers: Answers;
  let memory: FakeMemory;
  let model: GaugeModel;
  let commands: CommandRegistry;
  let button: GaugeButton;
  let services: FakeServices;

  const popup = (): HTMLElement | null =>
    document.querySelector('.jp-GpuHeadroom-popup');

  const text = (): string => popup()?.textContent ?? '';

  const expectText = async (words: string): Promise<void> => {
    await until(() => text().includes(words));
    expect(text()).toContain(words);
  };

  const labels = (): (string | null)[] =>
    [...(popup()?.querySelectorAll('.jp-GpuHeadroom-button') ?? [])].map(
      node => node.textContent
    );

  const press = async (label: string): Promise<void> => {
    [...(popup()?.querySelectorAll('button') ?? [])]
      .find(node => [node.textContent, node.title].includes(label))
      ?.click();
    await rendered();
  };

  const rows = (): (string | null)[] =>
    [...(popup()?.querySelectorAll('.jp-GpuHeadroom-item') ?? [])].map(
      node => node.textContent
    );

  const boxes = (): HTMLInputElement[] => [
    ...(popup()?.querySelectorAll('input') ?? [])
  ];

  const check = async (index: number): Promise<void> => {
    boxes()[index]?.click();
    await rendered();
  };

  const open = async (isBusy = false): Promise<void> => {
    memory.set({
      sample: { ...SAMPLE, busy: isBusy },
      sampleAt_ms: Date.now(),
      cell: { ...CELL, status: isBusy ? 'running' : 'ok' }
    });
    model.refresh();
    button.node.click();
    await until(() => popup() !== null);
    await rendered();
  };

  /** Open the checklist with these items in it. */
  const list = async (...items: IItem[]): Promise<void> => {
    await open();
    await press('Free memory…');
    memory.send(makePlan(items));
    await until(() => rows().length === items.length);
  };

  const finish = async (change: Partial<IReleased> = {}): Promise<void> => {
    memory.send({ ...RELEASED, ...change });
    await rendered();
  };

  const told = (): string[] =>
    Notification.manager.notifications.map(({ message: each }) => each);

  const released = (): unknown[] =>
    memory.requests
      .filter(([type]) => type === 'release')
      .map(([, args]) => args);

  beforeEach(() => {
    services = new FakeServices();
    answers = {
      plan: () => Promise.resolve({ status: 'queued' }),
      release: () =>
        Promise.resolve({ release_id: 'release-1', status: 'queued' })
    };
    memory = new FakeMemory(answers);
    const page = new FakeGpuMemory(memory);
    model = new GaugeModel(page, new Settings(), trans);
    commands = new CommandRegistry();
    const opener = new GaugeOpener(model, commands, services.sessions);
    button = opener.create();
    Widget.attach(button, document.body);
  });

  afterEach(() => {
    popup()?.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })
    );
    button.dispose();
    model.dispose();
  });

  it('should list what can be freed with its size and its price', async () => {
    await list(TRACEBACK, OUTPUT, CACHE);
    await expectText('headroom now 8.4 GiB');
    expect(rows()).toEqual([
      'Title of traceback0.9 GiBPrice of traceback.',
      'Title of output:51.0 GiBPrice of output:5.',
      'Title of cache1.1 GiBPrice of cache.'
    ]);
    expect(boxes().map(({ checked }) => checked)).toEqual([true, true, false]);
    expect(labels()).toEqual(['Free selected (1.9 GiB)', 'Cancel']);
    await expectText(
      'Headroom after: about 10.3 GiB. Your notebook file does not change.'
    );
  });

  it('should follow the boxes', async () => {
    await list(TRACEBACK, OUTPUT, CACHE);
    await check(0);
    expect(labels()[0]).toBe('Free selected (1.0 GiB)');
    await check(1);
    expect(labels()[0]).toBe('Free selected');
    await press('Free selected');
    expect(released()).toEqual([]);
    await check(2);
    expect(labels()[0]).toBe('Return 1.1 GiB to the card');
  });

  it('should propose unused cache where another notebook needs it', async () => {
    services.isSharing = true;
    await list(TRACEBACK, CACHE);
    expect(boxes().map(({ checked }) => checked)).toEqual([true, true]);
  });

  it('should go back to the numbers', async () => {
    await list(TRACEBACK);
    await press('Back');
    expect(labels()).toEqual(['Free memory…']);
    await press('Free memory…');
    await press('Cancel');
    await expectText('Headroom: 8.4 GiB');
  });

  it('should free what is checked, and say what came back', async () => {
    await list(TRACEBACK, OUTPUT);
    await press('Free selected (1.9 GiB)');
    expect(labels()).toEqual(['Free selected (1.9 GiB)', 'Cancel']);
    expect(released()).toEqual([
      {
        items: ['traceback', 'output:5'],
        confirmed: [],
        report_id: null
      }
    ]);
    expect(services.prices).toEqual([]);
    await finish({
      freed_bytes: gib(1.9),
      returned_bytes: gib(0.3),
      headroom_before_bytes: gib(8.4),
      headroom_after_bytes: gib(10.3),
      items: [TRACEBACK, OUTPUT].map(({ id, kind, title, expected_bytes }) => ({
        id,
        kind,
        title,
        freed_bytes: expected_bytes,
        message: null
      }))
    });
    await expectText('Freed 1.9 GiB: headroom 8.4 → 10.3 GiB');
    await expectText('Title of traceback0.9 GiB');
    await expectText('Title of output:51.0 GiB');
    await expectText('Returned to the card0.3 GiB');
    await expectText('Measured before and after, not estimated.');
    expect(document.activeElement?.textContent).toBe('Done');
    await press('Done');
    expect(labels()).toEqual(['Free memory…']);
  });

  it('should free once, however often it is pressed', async () => {
    await list(TRACEBACK);
    await press('Free selected (0.9 GiB)');
    await press('Free selected (0.9 GiB)');
    expect(released()).toHaveLength(1);
    await finish();
  });

  it('should say that it goes on, be cancelled, and say that', async () => {
    answers.cancel = () => Promise.resolve({ cancelled: true });
    await list(TRACEBACK);
    await press('Free selected (0.9 GiB)');
    await goOn();
    await expectText('Freeing GPU memory…');
    expect(labels()).toEqual(['Cancel']);
    await press('Cancel');
    await expectText('Stopping after this step…');
    await press('Cancel');
    const cancels = memory.requests.filter(([type]) => type === 'cancel');
    expect(cancels).toEqual([['cancel', { cancelled_id: 'release-1' }]]);
    await finish({ status: 'cancelled', message: say('It was cancelled.') });
    await expectText('It was cancelled.');
    expect(labels()[0]).toBe('Free selected (0.9 GiB)');
  });

  it('should say when less came back, and why', async () => {
    const execute = jest.fn();
    commands.addCommand('gpu-headroom:show-panel', { execute });
    await list(TRACEBACK, OUTPUT);
    await press('Free selected (1.9 GiB)');
    await finish({
      freed_bytes: gib(1.4),
      items: [
        {
          id: 'output:5',
          kind: 'outputs',
          title: OUTPUT.title,
          freed_bytes: gib(0.5),
          message: say('Out[5] is still held by `df`.')
        }
      ],
      still_held: [{ name: 'df', kind: 'tensor', bytes: gib(0.5) }]
    });
    await expectText('Freed 1.4 of 1.9 GiB.');
    await expectText('Out[5] is still held by df.');
    await expectText('Still held by df0.5 GiB');
    await press('Who holds it?');
    expect(execute).toHaveBeenCalledTimes(1);
    expect(popup()).toBeNull();
  });

  it('should not claim to have freed what it did not', async () => {
    await list(TRACEBACK);
    await press('Free selected (0.9 GiB)');
    await finish({
      status: 'nothing',
      freed_bytes: 0,
      message: message('released.nothing_held', {
        in_use_bytes: gib(3.3),
        name: 'xs'
      })
    });
    await expectText('Nothing was freed: 3.3 GiB are held');
    expect(popup()?.querySelector('code')?.textContent).toBe('xs');
    expect(text()).not.toContain('Freed ');
  });

  it('should take a release back where that can be', async () => {
    await list(TRACEBACK);
    await press('Free selected (0.9 GiB)');
    await finish({ undo: ['restore:model'] });
    await press('Undo');
    expect(released()[1]).toEqual({
      items: ['restore:model'],
      confirmed: ['restore:model'],
      report_id: null
    });
    const back = say('All of `model` is back.');
    await finish({
      freed_bytes: -gib(0.2),
      headroom_before_bytes: gib(3.7),
      headroom_after_bytes: gib(3.5),
      items: [
        {
          id: 'back',
          kind: 'restore',
          title: back,
          freed_bytes: 0,
          message: back
        }
      ],
      still_held: [{ name: 'model', kind: 'parameters', bytes: gib(0.2) }],
      message: back
    });
    await expectText(
      'All of model is back.Headroom 3.7 → 3.5 GiB. Measured before and after'
    );
    expect(text()).not.toContain('Still held');
    expect(labels()).toEqual(['Done']);
  });

  it('should say why it could not free, and keep the choice', async () => {
    answers.release = () => Promise.reject(new Error('Not while debugging.'));
    await list(TRACEBACK);
    await press('Free selected (0.9 GiB)');
    await expectText('Not while debugging.');
    expect(labels()).toEqual(['Free selected (0.9 GiB)', 'Cancel']);
  });

  describe('what has a price', () => {
    const model_ = makeVariable('model', { expected_bytes: gib(3) });

    it('should stand apart and not be checked', async () => {
      await list(TRACEBACK, model_);
      const [title] = popup()?.querySelectorAll('h3') ?? [];
      expect(title?.textContent).toBe('With a confirmation');
      const [, group] = popup()?.querySelectorAll('ul') ?? [];
      expect(group?.getAttribute('aria-labelledby')).toBe(title?.id);
      expect(group?.textContent).toContain('Title of variable:model3.0 GiB');
      expect(boxes().map(({ checked }) => checked)).toEqual([true, false]);
    });

    it('should be asked for before it is freed', async () => {
      await list(TRACEBACK, model_);
      await check(1);
      await press('Free selected (3.9 GiB)');
      expect(services.prices).toEqual([['variable:model']]);
      expect(released()).toEqual([
        {
          items: ['traceback', 'variable:model'],
          confirmed: ['variable:model'],
          report_id: null
        }
      ]);
      await finish();
    });

    it('should stay when the person does not agree', async () => {
      services.isAgreed = false;
      await list(TRACEBACK, model_);
      await check(1);
      await press('Free selected (3.9 GiB)');
      expect(services.prices).toHaveLength(1);
      expect(released()).toEqual([]);
      expect(boxes()[1]?.checked).toBe(true);
    });

    it('should say what cannot be freed and why', async () => {
      const blocked = say('The debugger is open.');
      await list({ ...TRACEBACK, blocked });
      expect(boxes()[0]?.disabled).toBe(true);
      expect(boxes()[0]?.checked).toBe(false);
      await expectText('The debugger is open.');
      expect(text()).not.toContain('Price of traceback.');
    });

    it('should move back what was moved', async () => {
      await list(makeItem('restore:model', { kind: 'restore', safe: false }));
      expect(boxes()).toEqual([]);
      expect(rows()).toEqual([
        'Title of restore:modelPrice of restore:model.Move back'
      ]);
      await press('Move back');
      expect(released()).toEqual([
        {
          items: ['restore:model'],
          confirmed: ['restore:model'],
          report_id: null
        }
      ]);
      await finish();
    });
  });

  it('should say that nothing can be freed without a name', async () => {
    await list(makeItem('output:1', { expected_bytes: 4096 }));
    await expectText(
      'Nothing above 10 MiB can be freed without deleting a variable you named.'
    );
    expect(labels()).toEqual(['Free selected', 'Cancel']);
  });

  it('should say why nothing was measured', async () => {
    answers.plan = () => Promise.reject(new Error('Still arriving.'));
    await open();
    await press('Free memory…');
    await expectText('Still arriving.');
  });

  it('should insert exactly what is checked as a cell', async () => {
    const execute = jest.fn();
    commands.addCommand('gpu-headroom:insert-cleanup-cell', {
      execute: args => {
        execute(args);
      }
    });
    await list(TRACEBACK, OUTPUT);
    await check(0);
    await press('Insert as cell');
    expect(execute).toHaveBeenCalledWith({
      items: ['output:5'],
      kernelId: memory.kernel.id
    });
    expect(popup()).toBeNull();
  });

  describe('while a cell runs', () => {
    beforeEach(async () => {
      answers.release = () =>
        Promise.resolve({ release_id: 'release-1', status: 'waiting' });
      answers.cancel = () => Promise.resolve({ cancelled: true });
      await open(true);
    });

    it('should say when it starts, and be taken back', async () => {
      await expectText('In [7] is running. Freeing starts when it finishes.');
      await press('Free memory…');
      await expectText('What can be freed is measured when it finishes');
      await press('Free when it finishes');
      expect(released()).toEqual([
        { items: null, confirmed: [], report_id: null }
      ]);
      await expectText('Freeing is queued.');
      await expectText('Starts when In [7] finishes.');
      await press('Cancel');
      expect(memory.requests.pop()).toEqual([
        'cancel',
        { cancelled_id: 'release-1' }
      ]);
      await finish({ status: 'cancelled', message: say('It was cancelled.') });
      await expectText('It was cancelled.');
      expect(labels()).toEqual(['Free when it finishes', 'Cancel']);
    });

    it('should go on without the popup, told in a notification', async () => {
      Notification.manager.dismiss();
      await press('Free memory…');
      await press('Free when it finishes');
      button.node.click();
      expect(popup()).toBeNull();
      await goOn();
      expect(told()).toEqual(['Queued. Starts when In [7] finishes.']);
      button.node.click();
      await rendered();
      expect(labels()).toEqual(['Free memory…']);
      await finish({ freed_bytes: gib(1) });
      expect(told()).toEqual([expect.stringMatching(/^Freed 1\.0 GiB/)]);
      expect(text()).not.toContain('Freed');
    });
  });

  it('should stay open while JupyterLab asks', async () => {
    await list(TRACEBACK);
    const dialog = document.createElement('div');
    dialog.className = 'jp-Dialog';
    document.body.appendChild(dialog);
    dialog.dispatchEvent(new Event('pointerdown', { bubbles: true }));
    dialog.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })
    );
    expect(popup()).not.toBeNull();
    dialog.remove();
  });
});
