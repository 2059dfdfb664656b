import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { FakeGpuMemory, FakeMemory } from '../../__tests__/memory';
import { gib } from '../../__tests__/report';
import {
  CELL,
  DEVICE,
  deviceWith,
  SAMPLE,
  TREND
} from '../../__tests__/samples';
import { RANK_GPU, workersWith } from '../../__tests__/workers';
import type { IDevice, ISample } from '../../protocol';
import { Settings } from '../../settings';
import type { IKernelSource } from '../../tokens';
import { GaugeModel } from '../model';
import { GaugeButton } from '../statusitem';
import { ToolbarItem } from '../toolbaritem';

/** Settings that a test changes. */
class FakeSource {
  readonly changed = new Signal<this, void>(this);
  composite: Record<string, unknown> = {};

  set(composite: Record<string, unknown>): void {
    this.composite = composite;
    this.changed.emit();
  }
}

describe('a gauge in another place', () => {
  it('should show the kernel of its own source, whatever is focused', () => {
    const memory = new FakeMemory();
    const source = {
      current: memory,
      currentChanged: new Signal<IKernelSource, void>({} as IKernelSource),
      hasDocument: true
    };
    const trans = nullTranslator.load('gpu-headroom');
    const model = new GaugeModel(source, new Settings(), trans);
    const sample = { ...SAMPLE, devices: [deviceWith(8.4)] };
    memory.set({ sample, sampleAt_ms: Date.now() });
    model.refresh();
    expect(model.current).toBe(memory);
    expect(model.reading.kind).toBe('ok');
    expect(model.isShown).toBe(true);
    model.dispose();
    memory.set({ phase: 'disconnected' });
    expect(model.reading.kind).toBe('ok');
  });
});

describe('the gauge', () => {
  let memory: FakeMemory;
  let page: FakeGpuMemory;
  let source: FakeSource;
  let model: GaugeModel;
  let button: GaugeButton;
  let pressed: number;

  const show = (device: IDevice, sample: Partial<ISample> = {}): void => {
    const next = { ...SAMPLE, ...sample, devices: [device] };
    memory.set({ sample: next, sampleAt_ms: Date.now() });
    model.refresh();
  };

  const rendered = async (): Promise<string> => {
    button.update();
    await new Promise(resolve => setTimeout(resolve, 20));
    return button.node.textContent ?? '';
  };

  const classesOf = (selector: string): string[] =>
    [...button.node.querySelectorAll(selector)].map(
      node => node.getAttribute('class') ?? ''
    );

  beforeEach(() => {
    memory = new FakeMemory();
    page = new FakeGpuMemory(memory);
    source = new FakeSource();
    const settings = new Settings(
      source as unknown as ISettingRegistry.ISettings
    );
    const trans = nullTranslator.load('gpu-headroom');
    model = new GaugeModel(page, settings, trans);
    pressed = 0;
    button = new GaugeButton(model, () => {
      pressed++;
    });
    Widget.attach(button, document.body);
    show(DEVICE);
  });

  afterEach(() => {
    button.dispose();
    model.dispose();
  });

  it('should show used and capacity, and no icon, when all is well', async () => {
    expect(await rendered()).toBe('GPU 6.3 / 14.7 GiB');
    expect(classesOf('svg')).toEqual([]);
  });

  describe('of a notebook with workers', () => {
    const full = { ...RANK_GPU, used_bytes: gib(13.7) };
    const workers = workersWith({ fullest: full });

    it('should show the kernel first, then them', async () => {
      show(DEVICE, { workers });
      expect(await rendered()).toBe(
        'GPU 6.3 / 14.7 GiB· 2 ranks · fullest worker 93%'
      );
      expect(button.node.title).toMatch(
        /headroom about 8\.4 GiB\..* This notebook sends work to 2 ranks; /
      );
      show(deviceWith(0.5), { workers });
      expect(await rendered()).toMatch(/0\.5 left· 2 ranks$/);
      show(DEVICE);
      expect(await rendered()).toBe('GPU 6.3 / 14.7 GiB');
    });

    it('should show them alone where the kernel has no GPU', async () => {
      const idle = { state: 'not_initialised', workers } as const;
      show(DEVICE, idle);
      expect(await rendered()).toBe('2 ranks · fullest 93%');
      expect(classesOf('.jp-GpuHeadroom-bar')).toHaveLength(1);
      expect(button.node.title).toMatch(
        /^This kernel has not used the GPU yet\. .* This notebook sends work/
      );
      const gpu = { ...full, simulated: true };
      show(DEVICE, { ...idle, workers: workersWith({ fullest: gpu }) });
      await rendered();
      expect(classesOf('svg')).toEqual(['jp-GpuHeadroom-icon jp-mod-flask']);
    });

    it('should stay while they run, even if the kernel has no GPU', () => {
      jest.useFakeTimers();
      const sample = { ...SAMPLE, state: 'no_gpu', devices: [] } as const;
      memory.set({
        sample: { ...sample, devices: [] },
        sampleAt_ms: Date.now()
      });
      model.refresh();
      jest.advanceTimersByTime(20_000);
      model.refresh();
      expect(model.isShown).toBe(false);
      memory.set({ sample: { ...sample, devices: [], workers } });
      model.refresh();
      expect(model.isShown).toBe(true);
      jest.useRealTimers();
    });

    it('should be short in a toolbar', async () => {
      const toolbar = new ToolbarItem(button, model);
      Widget.attach(toolbar, document.body);
      show(DEVICE, { workers });
      expect(await rendered()).toBe('6.3 / 14.7· 2 ranks · fullest worker 93%');
      show(DEVICE);
      expect(await rendered()).toBe('GPU 6.3 / 14.7 GiB');
      toolbar.dispose();
    });

    it('should show only what is fuller where room is short', async () => {
      source.set({ compact: true });
      show(DEVICE, { workers });
      expect(await rendered()).toMatch(/· fullest worker 93%$/);
      show(deviceWith(0.5), { workers });
      expect(await rendered()).not.toContain('ranks');
    });
  });

  it('should draw the parts in the order of the bar, as shares of the GPU', async () => {
    await rendered();
    const segments = [
      ...button.node.querySelectorAll<HTMLElement>('.jp-GpuHeadroom-segment')
    ];
    expect(
      segments.map(node => [
        node.className.split('-').pop(),
        node.style.flexGrow
      ])
    ).toEqual([
      ['outside', String(gib(1) / gib(14.7))],
      ['tensors', String(gib(5.3) / gib(14.7))],
      ['cached', String(gib(1.1) / gib(14.7))]
    ]);
  });

  it('should describe the bar to screen readers with all four numbers', async () => {
    await rendered();
    const label = button.node
      .querySelector('[role="img"]')
      ?.getAttribute('aria-label');
    for (const number of ['5.3', '1.1', '1.0', '7.3', '14.7']) {
      expect(label).toContain(`${number} GiB`);
    }
  });

  it.each([
    [2.1, 'triangle', 'GPU 12.6 / 14.7 GiB2.1 left'],
    [0.4, 'octagon', 'GPU 14.3 / 14.7 GiB0.4 left']
  ])('should warn by icon and word at %d GiB', async (headroom, icon, text) => {
    show(deviceWith(headroom));
    expect(await rendered()).toBe(text);
    expect(classesOf('svg')).toEqual([`jp-GpuHeadroom-icon jp-mod-${icon}`]);
  });

  it('should show when it is full, by icon and word', async () => {
    show(deviceWith(4.9), { trends: [TREND] });
    expect(await rendered()).toBe('GPU 9.8 / 14.7 GiBfull in about 40 s');
    expect(classesOf('svg')).toEqual(['jp-GpuHeadroom-icon jp-mod-triangle']);
  });

  it('should show that a release waits, with a clock at the word', async () => {
    show(DEVICE, { queued: ['release-1'] });
    expect(await rendered()).toBe('GPU 6.3 / 14.7 GiBfree queued');
    expect(classesOf('.jp-GpuHeadroom-word svg')).toEqual([
      'jp-GpuHeadroom-icon jp-mod-clock'
    ]);
    expect(button.node.title).toContain(
      'Memory is freed when the running cell finishes.'
    );
  });

  it('should show it by icon alone where room is short', async () => {
    source.set({ compact: true });
    show(DEVICE, { queued: ['release-1'] });
    expect(await rendered()).toBe('6.3 / 14.7');
    expect(classesOf('svg')).toEqual(['jp-GpuHeadroom-icon jp-mod-clock']);
  });

  it('should show which of several GPUs it is', async () => {
    const devices = [DEVICE, { ...deviceWith(2.1), index: 1 }];
    show(DEVICE, {});
    memory.set({ sample: { ...SAMPLE, devices } });
    model.refresh();
    expect(await rendered()).toBe(
      'GPU 1: 12.6 / 14.7 GiB2.1 left· fullest of 2'
    );
  });

  it('should show a simulated GPU in any state', async () => {
    show({ ...deviceWith(0.4), simulated: true });
    expect(await rendered()).toMatch(/^Simulated GPU/);
    expect(classesOf('svg')).toEqual([
      'jp-GpuHeadroom-icon jp-mod-octagon',
      'jp-GpuHeadroom-icon jp-mod-flask'
    ]);
    expect(classesOf('.jp-GpuHeadroom-bar').join()).toContain('simulated');
    show({ ...DEVICE, simulated: true }, { state: 'not_initialised' });
    expect(await rendered()).toBe('Simulated GPU idle');
    expect(classesOf('svg')).toEqual(['jp-GpuHeadroom-icon jp-mod-flask']);
  });

  it('should show old numbers with their age', async () => {
    memory.set({
      cell: { ...CELL, status: 'running' },
      sampleAt_ms: Date.now() - 8000
    });
    model.refresh();
    expect(await rendered()).toBe('GPU 6.3 / 14.7 GiB8 s ago');
    expect(classesOf('.jp-GpuHeadroom-bar').join()).toContain('stale');
  });

  it('should be compact by its setting', async () => {
    source.set({ compact: true });
    expect(await rendered()).toBe('6.3 / 14.7');
    expect(classesOf('svg')).toEqual(['jp-GpuHeadroom-icon jp-mod-chip']);
    expect(classesOf('.jp-GpuHeadroom-bar').join()).toContain('compact');
  });

  it('should be compact in a narrow status bar', async () => {
    const bar = document.createElement('div');
    bar.className = 'jp-StatusBar-Widget';
    bar.append(button.node);
    Object.defineProperty(bar, 'clientWidth', { value: 899 });
    expect(await rendered()).toBe('6.3 / 14.7');
    document.body.append(button.node);
  });

  it('should be hidden and shown by the settings', () => {
    expect(model.isShown).toBe(true);
    source.set({ showGauge: false });
    expect(model.isShown).toBe(false);
    source.set({});
    expect(model.isShown).toBe(true);
  });

  it('should be hidden without a GPU, unless it is always shown', () => {
    const now = jest.spyOn(Date, 'now');
    now.mockReturnValue(1_000_000);
    memory.set({ sample: { ...SAMPLE, state: 'no_gpu', devices: [] } });
    model.refresh();
    expect(model.reading.kind).toBe('idle');
    now.mockReturnValue(1_002_000);
    model.refresh();
    expect(model.reading.kind).toBe('none');
    expect(model.isShown).toBe(true);
    now.mockReturnValue(1_011_000);
    model.refresh();
    expect(model.isShown).toBe(false);
    source.set({ alwaysShow: true });
    expect(model.isShown).toBe(true);
    now.mockRestore();
  });

  it('should be not connected for a document without a kernel', async () => {
    page.current = null;
    page.currentChanged.emit();
    expect(await rendered()).toBe('GPU — not connected');
  });

  it('should show nothing for a kernel of another language', () => {
    memory.set({ phase: 'absent' });
    model.refresh();
    expect(model.isShown).toBe(false);
  });

  it('should be a labeled button that opens a dialog', async () => {
    await rendered();
    const { node } = button;
    expect(node.getAttribute('role')).toBe('button');
    expect(node.tabIndex).toBe(0);
    expect(node.getAttribute('aria-haspopup')).toBe('dialog');
    expect(node.getAttribute('aria-expanded')).toBe('false');
    expect(node.title).toMatch(/^GPU 0, Tesla T4: 6\.3 of/);
    // The content is the accessible name.
    expect(node.hasAttribute('aria-label')).toBe(false);
  });

  it('should be pressed by a click, Enter and Space, and no other key', () => {
    const { node } = button;
    node.click();
    for (const key of ['Enter', ' ', 'a', 'Escape']) {
      node.dispatchEvent(new KeyboardEvent('keydown', { key }));
    }
    expect(pressed).toBe(3);
  });

  it('should announce becoming critical, at most every 30 s', () => {
    const now = jest.spyOn(Date, 'now');
    const announced = jest.fn();
    model.announced.connect((_, sentence) => {
      announced(sentence);
    });
    let time = 2_000_000;
    const become = (headroom: number, passed: number): void => {
      now.mockReturnValue((time += passed));
      show(deviceWith(headroom));
    };
    become(0.4, 0);
    become(8, 5000);
    become(0.4, 5000);
    expect(announced).toHaveBeenCalledTimes(1);
    become(8, 5000);
    become(0.4, 30_000);
    expect(announced).toHaveBeenCalledTimes(2);
    expect(announced).toHaveBeenLastCalledWith(
      expect.stringMatching(/headroom about 0\.4 GiB/)
    );
    now.mockRestore();
  });

  it('should announce filling up once, however long it lasts', () => {
    const announced = jest.fn();
    model.announced.connect((_, sentence) => {
      announced(sentence);
    });
    for (const full_in_s of [40, 35, 30]) {
      show(deviceWith(4.9), { trends: [{ ...TREND, full_in_s }] });
    }
    expect(announced).toHaveBeenCalledTimes(1);
    expect(announced).toHaveBeenCalledWith(
      expect.stringContaining('full in about 40 s')
    );
  });

  it('should be in a toolbar only while there is something to show', () => {
    const item = new ToolbarItem(new Widget(), model);
    const [gauge] = [...item.children()];
    expect(gauge?.isHidden).toBe(false);
    memory.set({ phase: 'absent' });
    model.refresh();
    expect(gauge?.isHidden).toBe(true);
    item.dispose();
    item.dispose();
  });

  it('should be disposed twice, and stop listening', () => {
    button.dispose();
    button.dispose();
    const emitted = jest.fn();
    model.stateChanged.connect(emitted);
    model.dispose();
    model.dispose();
    memory.set({ phase: 'disconnected' });
    page.currentChanged.emit();
    source.set({ compact: true });
    expect(emitted).not.toHaveBeenCalled();
  });
});
