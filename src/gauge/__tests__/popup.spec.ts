import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Widget } from '@lumino/widgets';

import {
  type Answers,
  FakeGpuMemory,
  FakeMemory
} from '../../__tests__/memory';
import { gib, RELEASED } from '../../__tests__/report';
import { CELL, DEVICE, SAMPLE } from '../../__tests__/samples';
import type { IReleased } from '../../protocol';
import { Settings } from '../../settings';
import type { IMemoryState } from '../../tokens';
import { GaugeModel } from '../model';
import { GaugeOpener } from '../opener';
import { PopupActions } from '../popupactions';
import type { GaugeButton } from '../statusitem';

describe('the popup', () => {
  let memory: FakeMemory;
  let model: GaugeModel;
  let commands: CommandRegistry;
  let button: GaugeButton;
  let answers: Answers;

  const trans = nullTranslator.load('gpu-headroom');

  const popup = (): HTMLElement | null =>
    document.querySelector('.jp-GpuHeadroom-popup');

  const settle = (): Promise<void> =>
    new Promise(resolve => setTimeout(resolve, 40));

  const text = (): string => popup()?.textContent ?? '';

  const buttons = (): HTMLButtonElement[] => [
    ...(popup()?.querySelectorAll('button') ?? [])
  ];

  const labels = (): (string | null)[] =>
    buttons().map(node => node.textContent);

  const press = async (label: string): Promise<void> => {
    buttons()
      .find(node => node.textContent === label)
      ?.click();
    await settle();
  };

  const key = (name: string, shiftKey = false): void => {
    const target = document.activeElement ?? document.body;
    const event = { key: name, shiftKey, bubbles: true, cancelable: true };
    target.dispatchEvent(new KeyboardEvent('keydown', event));
  };

  const open = async (state: Partial<IMemoryState> = {}): Promise<void> => {
    memory.set({ sample: SAMPLE, sampleAt_ms: Date.now(), ...state });
    model.refresh();
    button.node.focus();
    button.node.click();
    await settle();
  };

  beforeEach(() => {
    answers = {};
    memory = new FakeMemory(answers);
    const page = new FakeGpuMemory(memory);
    model = new GaugeModel({ memory: page, settings: new Settings(), trans });
    commands = new CommandRegistry();
    const opener = new GaugeOpener(model, new PopupActions(commands, trans));
    button = opener.create();
    Widget.attach(button, document.body);
  });

  afterEach(() => {
    popup()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
    button.dispose();
    model.dispose();
  });

  it('should say why the helper cannot do all of it', async () => {
    await open({ problem: 'Restart the kernel to use all of it.' });
    expect(text()).toContain('Headroom');
    expect(text()).toContain('Restart the kernel to use all of it.');
  });

  it('should show the headroom, the split and the four numbers', async () => {
    await open();
    expect(popup()?.querySelector('h2')?.textContent).toBe('Headroom: 8.4 GiB');
    expect(text()).toContain('GPU 0 Tesla T4, 14.7 GiB');
    expect(text()).toContain('used 6.3 of 14.7 GiB');
    const legend = [...(popup()?.querySelectorAll('dl > div') ?? [])];
    expect(
      legend.map(row => [...row.children].map(node => node.textContent))
    ).toEqual([
      ["Outside this kernel's PyTorch", '1.0 GiB'],
      ['In use by tensors', '5.3 GiB'],
      ['Cached by PyTorch, unused', '1.1 GiB'],
      ['Free', '7.3 GiB']
    ]);
  });

  it('should be a dialog whose first button has the focus', async () => {
    await open();
    expect(popup()?.getAttribute('role')).toBe('dialog');
    expect(popup()?.getAttribute('aria-label')).toBe('GPU memory');
    expect(document.activeElement?.textContent).toBe('Release GPU');
    expect(button.node.getAttribute('aria-expanded')).toBe('true');
  });

  it('should give the focus back on Escape', async () => {
    await open();
    key('Escape');
    expect(popup()).toBeNull();
    expect(document.activeElement).toBe(button.node);
    expect(button.node.getAttribute('aria-expanded')).toBe('false');
  });

  it('should keep Tab inside', async () => {
    commands.addCommand('gpu-headroom:insert-cleanup-cell', {
      execute: () => undefined
    });
    await open();
    const [first, last] = buttons();
    key('Tab', true);
    expect(document.activeElement).toBe(last);
    key('Tab');
    expect(document.activeElement).toBe(first);
  });

  it('should close when the gauge is pressed again or another place is', async () => {
    await open();
    button.node.click();
    expect(popup()).toBeNull();
    button.node.click();
    await settle();
    document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }));
    expect(popup()).toBeNull();
  });

  it('should watch at the fast rate only while it is open', async () => {
    const disposed = jest.fn();
    const watch = jest
      .spyOn(memory, 'watch')
      .mockReturnValue({ dispose: disposed, isDisposed: false });
    await open();
    expect(watch).toHaveBeenCalledTimes(1);
    expect(model.isWatched).toBe(true);
    key('Escape');
    expect(disposed).toHaveBeenCalledTimes(1);
    expect(model.isWatched).toBe(false);
  });

  it('should offer the clean-up cell only where it can be inserted', async () => {
    let isEnabled = false;
    const execute = jest.fn();
    commands.addCommand('gpu-headroom:insert-cleanup-cell', {
      isEnabled: () => isEnabled,
      execute
    });
    await open();
    expect(labels()).toEqual(['Release GPU']);
    isEnabled = true;
    model.refresh();
    await settle();
    await press('Insert clean-up cell');
    expect(execute).toHaveBeenCalledTimes(1);
    expect(popup()).toBeNull();
  });

  describe('releasing', () => {
    const finish = async (change: Partial<IReleased> = {}): Promise<void> => {
      memory.send({ ...RELEASED, ...change });
      await settle();
    };

    beforeEach(() => {
      answers.release = () =>
        Promise.resolve({ release_id: 'release-1', status: 'queued' });
    });

    it('should say what came back, and what still holds the rest', async () => {
      await open();
      await press('Release GPU');
      expect(labels()).toEqual(['Freeing…']);
      await finish({
        freed_bytes: gib(1.9),
        headroom_before_bytes: gib(8.4),
        headroom_after_bytes: gib(10.3),
        still_held: [{ name: 'df', kind: 'tensor', bytes: gib(0.5) }]
      });
      expect(text()).toContain('Freed 1.9 GiB: headroom 8.4 → 10.3 GiB');
      expect(text()).toContain('Returned to the card13.0 GiB');
      expect(text()).toContain('Still held by df0.5 GiB');
      expect(text()).toContain('Measured before and after, not estimated.');
      expect(document.activeElement?.textContent).toBe('Done');
      await press('Done');
      expect(labels()).toEqual(['Release GPU']);
    });

    it('should free once, however often it is pressed', async () => {
      await open();
      await press('Release GPU');
      await press('Freeing…');
      expect(memory.requests.map(([type]) => type)).toEqual(['release']);
      await finish();
    });

    it('should not claim to have freed what it did not', async () => {
      await open();
      await press('Release GPU');
      await finish({
        status: 'nothing',
        freed_bytes: 0,
        message: {
          id: 'released.nothing_held',
          params: { in_use_bytes: gib(3.3), name: 'xs' },
          text: ''
        }
      });
      expect(text()).toContain('Nothing was freed: 3.3 GiB are held');
      expect(popup()?.querySelector('code')?.textContent).toBe('xs');
      expect(text()).not.toContain('Freed ');
    });

    it('should say when it starts while a cell runs, and be taken back', async () => {
      answers.release = () =>
        Promise.resolve({ release_id: 'release-1', status: 'waiting' });
      answers.cancel = () => Promise.resolve({ cancelled: true });
      await open({ cell: { ...CELL, status: 'running' } });
      expect(text()).toContain(
        'In [7] is running. Freeing starts when it finishes.'
      );
      await press('Release GPU');
      await press('Cancel');
      expect(memory.requests.pop()).toEqual([
        'cancel',
        { release_id: 'release-1' }
      ]);
      await finish({ status: 'cancelled' });
      expect(labels()).toEqual(['Release GPU']);
    });

    it('should say why it could not free', async () => {
      answers.release = () => Promise.reject(new Error('Not while debugging.'));
      await open();
      await press('Release GPU');
      expect(text()).toContain('Not while debugging.');
      expect(labels()).toEqual(['Release GPU']);
    });
  });

  it('should not show old numbers as the headroom', async () => {
    await open({
      cell: { ...CELL, status: 'running' },
      sampleAt_ms: Date.now() - 8000
    });
    expect(popup()?.querySelector('h2')?.textContent).toBe(
      'Headroom: not measured'
    );
    expect(text()).toContain(
      'Last measured 8 s ago: 6.3 GiB used, headroom 8.4 GiB.'
    );
    expect(text()).toContain("holds Python's interpreter lock");
  });

  it('should explain a kernel without a framework', async () => {
    const sample = { ...SAMPLE, state: 'no_framework' as const, devices: [] };
    await open({ sample });
    expect(text()).toContain('Idle — not initialised');
    expect(text()).toContain('no GPU framework loaded yet');
    expect(labels()).toEqual([]);
    expect(document.activeElement).toBe(popup());
  });

  it('should offer to restart a kernel that is not connected', async () => {
    const execute = jest.fn();
    commands.addCommand('kernelmenu:restart', { execute });
    await open({ phase: 'disconnected', sample: null });
    expect(text()).toContain('its GPU memory is already free');
    await press('Restart kernel…');
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it('should start the helper when it starts on click', async () => {
    const start = jest.spyOn(memory, 'start');
    await open({ phase: 'off', offReason: 'click', sample: null });
    await press('Start');
    expect(start).toHaveBeenCalledTimes(1);
  });

  it('should say in one sentence that versions do not fit', async () => {
    const problem = 'It speaks protocol 2.0, this page speaks 1.0.';
    await open({ phase: 'incompatible', problem, sample: null });
    expect(text()).toContain(problem);
    expect(labels()).toEqual([]);
  });

  it('should call a simulated card simulated', async () => {
    const device = { ...DEVICE, simulated: true };
    await open({ sample: { ...SAMPLE, devices: [device] } });
    expect(text()).toContain('Simulated GPU 0');
  });
});
