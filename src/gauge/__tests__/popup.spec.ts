import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Widget } from '@lumino/widgets';

import {
  type Answers,
  FakeGpuMemory,
  FakeMemory
} from '../../__tests__/memory';
import { rendered, until } from '../../__tests__/rendering';
import { gib, message } from '../../__tests__/report';
import {
  CELL,
  DEVICE,
  deviceWith,
  historyOf,
  POINT,
  SAMPLE,
  TREND
} from '../../__tests__/samples';
import { WORKERS } from '../../__tests__/workers';
import type { IMemoryState } from '../../memory/state';
import { Settings } from '../../settings';
import { GaugeModel } from '../model';
import { GaugeOpener } from '../opener';
// Loaded by the first click; here it is loaded before.
import '../popup';
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
    await rendered();
  };

  let freed: jest.Mock;

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
    await until(() => popup() !== null);
    await rendered();
  };

  beforeEach(() => {
    answers = {};
    memory = new FakeMemory(answers);
    const page = new FakeGpuMemory(memory);
    model = new GaugeModel(page, new Settings(), trans);
    commands = new CommandRegistry();
    freed = jest.fn();
    commands.addCommand('gpu-headroom:free-memory', { execute: freed });
    const opener = new GaugeOpener(model, commands);
    button = opener.create();
    Widget.attach(button, document.body);
  });

  afterEach(() => {
    popup()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
    button.dispose();
    model.dispose();
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
      ['of it, other programs', '0.7 GiB'],
      ['In use by tensors', '5.3 GiB'],
      ['Cached by PyTorch, unused', '1.1 GiB'],
      ['Free', '7.3 GiB']
    ]);
  });

  it('should show what workers use of this GPU', async () => {
    await open({ sample: { ...SAMPLE, workers: WORKERS } });
    expect(text()).toContain('of it, 2 workers of this notebook11.0 GiB');
  });

  it('should link to the workers of a kernel that has no GPU', async () => {
    const shown = jest.fn();
    commands.addCommand('gpu-headroom:show-panel', { execute: shown });
    await open({
      sample: { ...SAMPLE, state: 'not_initialised', workers: WORKERS }
    });
    expect(text()).toContain('This kernel has not used the GPU yet.');
    await press('Open panel');
    expect(shown).toHaveBeenCalled();
    expect(popup()).toBeNull();
  });

  it('should be a dialog whose first button has the focus', async () => {
    await open();
    expect(popup()?.getAttribute('role')).toBe('dialog');
    expect(popup()?.getAttribute('aria-label')).toBe('GPU memory');
    expect(document.activeElement?.textContent).toBe('Free memory…');
    expect(button.node.getAttribute('aria-expanded')).toBe('true');
  });

  it('should restore the focus on Escape', async () => {
    await open();
    key('Escape');
    expect(popup()).toBeNull();
    expect(document.activeElement).toBe(button.node);
    expect(button.node.getAttribute('aria-expanded')).toBe('false');
  });

  it('should keep Tab inside', async () => {
    commands.addCommand('gpu-headroom:show-panel', {
      execute: () => undefined
    });
    await open();
    const [first] = buttons();
    const last = buttons().pop();
    first?.focus();
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
    await until(() => popup() !== null);
    expect(popup()).not.toBeNull();
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

  it('should open the panel only where there is one', async () => {
    let isEnabled = false;
    const execute = jest.fn();
    commands.addCommand('gpu-headroom:show-panel', {
      isEnabled: () => isEnabled,
      execute
    });
    await open();
    expect(labels()).toEqual(['Free memory…']);
    isEnabled = true;
    model.refresh();
    await rendered();
    await press('Open panel');
    expect(execute).toHaveBeenCalledTimes(1);
    expect(popup()).toBeNull();
  });

  it('should leave the choice of what to free to the panel', async () => {
    await open();
    await press('Free memory…');
    expect(freed).toHaveBeenCalledTimes(1);
    expect(popup()).toBeNull();
  });

  it('should show that freeing is queued, and cancel it', async () => {
    answers.cancel = () => Promise.resolve({ cancelled: true });
    await open({
      cell: { ...CELL, status: 'running' },
      sample: { ...SAMPLE, queued: ['release-1', 'release-2'] }
    });
    expect(text()).toContain('Freeing is queued. Starts when In [7] finishes.');
    expect(labels()).toEqual(['Cancel freeing']);
    await press('Cancel freeing');
    expect(memory.requests.map(([, args]) => args)).toEqual([
      { cancelled_id: 'release-1' },
      { cancelled_id: 'release-2' }
    ]);
  });

  it.each(['no_gpu', 'not_initialised'] as const)(
    'should offer a dry run where nothing is on a GPU: %s',
    async state => {
      const execute = jest.fn();
      commands.addCommand('gpu-headroom:dry-run', { execute });
      await open({ sample: { ...SAMPLE, state, devices: [] } });
      expect(labels()).toEqual(['Dry Run on a GPU…']);
      await press('Dry Run on a GPU…');
      expect(execute).toHaveBeenCalledTimes(1);
      expect(popup()).toBeNull();
    }
  );

  it('should offer another start where the helper failed', async () => {
    await open({ phase: 'failed', problem: 'It did not start.', sample: null });
    expect(labels()).toEqual(['Try again']);
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
    expect(text()).toContain("holds Python's global interpreter lock");
  });

  it('should explain a kernel without a framework', async () => {
    const sample = { ...SAMPLE, state: 'no_framework' as const, devices: [] };
    await open({ sample });
    expect(text()).toContain('Nothing on the GPU yet');
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

  it('should offer only a restart after a sticky CUDA error', async () => {
    commands.addCommand('kernelmenu:restart', { execute: jest.fn() });
    const why = message('sticky_error.sentence');
    const devices = [{ ...DEVICE, notes: [why] }];
    await open({ sample: { ...SAMPLE, devices } });
    expect(text()).toContain('CUDA has stopped');
    expect(text()).toContain('Only a restart helps.');
    expect(text()).not.toContain('GiB');
    expect(labels()).toEqual(['Restart kernel…']);
  });

  it('should start the helper when it starts on click', async () => {
    const start = jest.spyOn(memory, 'start');
    await open({ phase: 'off', offReason: 'click', sample: null });
    await press('Start');
    expect(start).toHaveBeenCalledTimes(1);
  });

  it('should show in one sentence that versions are incompatible', async () => {
    const problem = 'It uses protocol 2.0, this page uses 1.0.';
    await open({ phase: 'incompatible', problem, sample: null });
    expect(text()).toContain(problem);
    expect(labels()).toEqual([]);
  });

  it('should label a simulated GPU', async () => {
    const device = { ...DEVICE, simulated: true };
    await open({ sample: { ...SAMPLE, devices: [device] } });
    expect(text()).toContain('Simulated GPU 0');
  });

  it('should draw the session, with its peak', async () => {
    const point = { ...POINT, time_s: SAMPLE.time_s - 32 };
    await open({
      history: historyOf(point, { ...POINT, in_use_bytes: gib(8) })
    });
    expect(popup()?.querySelectorAll('path.jp-mod-outside')).toHaveLength(2);
    expect(text()).toContain('Whole session');
    expect(text()).toContain('peak 9.0 GiB');
  });

  it('should show that the GPU fills up', async () => {
    await open({
      sample: {
        ...SAMPLE,
        busy: true,
        devices: [deviceWith(4.9)],
        trends: [TREND]
      },
      history: historyOf(POINT),
      cell: { ...CELL, status: 'running' }
    });
    expect(text()).toContain('Freeing starts when it finishes.');
    expect(popup()?.querySelector('.jp-mod-projection')).not.toBeNull();
  });

  it('should keep the numbers of more than the GPU has within the bar', async () => {
    const notes = [
      message('note.beyond_gpu', {
        total_bytes: gib(14.7),
        excess_bytes: gib(2)
      })
    ];
    const device = {
      ...DEVICE,
      notes,
      used_bytes: gib(16.7),
      in_use_bytes: gib(16.7),
      outside_bytes: 0,
      headroom_bytes: 0
    };
    await open({ sample: { ...SAMPLE, devices: [device] } });
    expect(text()).toContain('used 16.7 of 14.7 GiB');
    const split = popup()?.querySelector<HTMLElement>(
      '.jp-GpuHeadroom-split > span'
    );
    expect(split?.style.width).toBe('100%');
    expect(text()).toContain(
      "More is reserved than this GPU's 14.7 GiB: the driver keeps 2.0 GiB in host memory"
    );
  });

  it('should label the memory that a GPU shares with the host', async () => {
    const device = { ...DEVICE, shared_with_host: true };
    await open({ sample: { ...SAMPLE, devices: [device] } });
    expect(text()).toContain('GPU 0 Tesla T4, 14.7 GiB, shared with the host');
    expect(text()).toContain('free is what it has available');
  });

  it('should explain a pool that was reserved on purpose', async () => {
    const [torch] = DEVICE.frameworks;
    const device = {
      ...DEVICE,
      shared_with_host: true,
      frameworks: torch ? [{ ...torch, title: 'JAX', preallocated: true }] : [],
      notes: [
        message('note.preallocated', { framework: 'JAX', pool_bytes: gib(11) })
      ]
    };
    await open({ sample: { ...SAMPLE, devices: [device] } });
    expect(text()).toContain('Reserved by JAX, unused');
    expect(text()).toContain('JAX took a pool of 11.0 GiB when it started');
    expect(text()).toContain('Shared with the host: its programs');
  });

  it('should show the fullest of several GPUs', async () => {
    const devices = [8, 2.1, 5].map((headroom, index) => ({
      ...deviceWith(headroom),
      index
    }));
    await open({ sample: { ...SAMPLE, devices } });
    expect(text()).toContain('GPU 1 Tesla T4, 14.7 GiB, fullest of 3');
    expect(text()).toContain('Headroom: 2.1 GiB');
  });

  it('should show what other programs use before a framework is loaded', async () => {
    const gpu = { ...DEVICE, frameworks: [], outside_bytes: gib(0.4) };
    const sample = {
      ...SAMPLE,
      state: 'no_framework' as const,
      devices: [gpu]
    };
    await open({ sample });
    expect(text()).toContain('GPU 0 Tesla T4, 14.7 GiB');
    expect(text()).toContain('Other programs use 0.4 of 14.7 GiB.');
  });

  it('should show how the kernel died', async () => {
    const death = {
      device: DEVICE,
      host: SAMPLE.host,
      age_ms: 2000,
      isKilled: false
    };
    await open({ phase: 'disconnected', sample: null, death });
    expect(text()).toContain('Host memory does not explain it.');
    expect(text()).toContain('Its GPU memory is free.');
  });
});
