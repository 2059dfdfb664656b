import { nullTranslator } from '@jupyterlab/translation';
import { VDomRenderer } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import { FakeGpuMemory, FakeMemory } from '../../__tests__/memory';
import { rendered, until } from '../../__tests__/rendering';
import { gib, message } from '../../__tests__/report';
import {
  CELL,
  deviceWith,
  EVENTS,
  historyOf,
  POINT,
  SAMPLE,
  TREND
} from '../../__tests__/samples';
import type { IMemoryState } from '../../memory/state';
import { PanelModel } from '../../panel/model';
import { FakeServices } from '../../release/__tests__/services';
import { TIMELINE } from '../section';

/** The section on its own. */
class Section extends VDomRenderer<PanelModel> {
  protected override render(): React.JSX.Element {
    return <TIMELINE.Body model={this.model} />;
  }
}

describe('the timeline', () => {
  let memory: FakeMemory;
  let model: PanelModel;
  let section: Section;
  let width: jest.SpyInstance;

  const text = (): string => section.node.textContent ?? '';

  const chart = (): HTMLElement | null =>
    section.node.querySelector<HTMLElement>('[role="slider"]');

  const reads = (): string => chart()?.getAttribute('aria-valuetext') ?? '';

  const key = async (name: string): Promise<void> => {
    const event = { key: name, bubbles: true, cancelable: true };
    chart()?.dispatchEvent(new KeyboardEvent('keydown', event));
    await rendered();
  };

  const open = async (state: Partial<IMemoryState>): Promise<void> => {
    memory.set({ sample: SAMPLE, sampleAt_ms: Date.now(), ...state });
    section.update();
    await until(() => chart() !== null);
  };

  beforeEach(() => {
    width = jest
      .spyOn(HTMLElement.prototype, 'clientWidth', 'get')
      .mockReturnValue(300);
    memory = new FakeMemory();
    model = new PanelModel({
      memory: new FakeGpuMemory(memory),
      sessions: new FakeServices().sessions,
      insertCell: () => null,
      trans: nullTranslator.load('gpu-headroom'),
      documentName: () => 'train.ipynb'
    });
    section = new Section(model);
    Widget.attach(section, document.body);
  });

  afterEach(() => {
    section.dispose();
    model.dispose();
    width.mockRestore();
  });

  it('should read moments out by the keyboard', async () => {
    const point = { ...POINT, time_s: SAMPLE.time_s - 32 };
    await open({
      history: historyOf(point, { ...POINT, in_use_bytes: gib(8) })
    });
    expect(text()).toContain('peak 9.0 GiB');
    await key('ArrowLeft');
    expect(reads()).toBe(
      '−32 s: in tensors 5.3 GiB, unused cache 1.1 GiB, outside 1.0 GiB, free 7.3 GiB'
    );
    expect(chart()?.textContent).toContain('in tensors 5.3 GiB');
  });

  it('should show the whole session, or its last minutes', async () => {
    const first = { ...POINT, time_s: SAMPLE.time_s - 400 };
    await open({ history: historyOf(first, POINT) });
    expect(chart()?.getAttribute('aria-label')).toBe('Whole session');
    await key('Home');
    expect(reads()).toContain('−6.7 min');
    await key('ArrowRight');
    expect(reads()).not.toContain('min');
    const picker = section.node.querySelector('select');
    Object.assign(picker ?? {}, { value: 'false' });
    picker?.dispatchEvent(new Event('change', { bubbles: true }));
    await rendered();
    expect(chart()?.getAttribute('aria-label')).toBe('Last 5 min');
    await key('Home');
    expect(reads()).not.toContain('min');
  });

  it('should show where the memory goes', async () => {
    await open({
      sample: { ...SAMPLE, devices: [deviceWith(4.9)], trends: [TREND] },
      history: historyOf(POINT),
      cell: { ...CELL, status: 'running' }
    });
    expect(text()).toContain('+120 MiB per step — full in about 40 s');
  });

  it('should repeat the last warning about this GPU', async () => {
    const warning = {
      ...EVENTS.warning,
      kind: 'growth' as const,
      message: message('warning.growth_holder', {
        growth_bytes: gib(0.5),
        runs: 3,
        name: 'xs'
      })
    };
    await open({ warning, history: historyOf(POINT) });
    expect(text()).toContain(
      'This cell kept 0.5 GiB more on each of its last 3 runs: xs grows.'
    );
    memory.set({ warning: { ...warning, device_index: 1 } });
    section.update();
    await until(() => !text().includes('This cell kept'));
    expect(text()).not.toContain('This cell kept');
  });
});
