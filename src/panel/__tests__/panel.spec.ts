import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import {
  type Answers,
  FakeGpuMemory,
  FakeMemory,
  goOn
} from '../../__tests__/memory';
import { rendered, until } from '../../__tests__/rendering';
import { gib, message } from '../../__tests__/report';
import { CELL, DEVICE, EVENTS, SAMPLE } from '../../__tests__/samples';
import { WORKERS } from '../../__tests__/workers';
import type { IDevice, IMessage } from '../../protocol';
import { FakeServices } from '../../release/__tests__/services';
import { PanelModel } from '../model';
import { GpuPanel } from '../panel';
import { addSections, makeHolders, makeParts, TWO_DEVICES } from './held';

const trans = nullTranslator.load('gpu-headroom');

describe('the panel', () => {
  let answers: Answers;
  let memory: FakeMemory;
  let page: FakeGpuMemory;
  let model: PanelModel;
  let panel: GpuPanel;

  const all = (selector: string): HTMLElement[] => [
    ...panel.node.querySelectorAll<HTMLElement>(selector)
  ];

  const text = (): string => panel.node.textContent ?? '';

  const expectText = async (words: string): Promise<void> => {
    await until(() => text().includes(words));
    expect(text()).toContain(words);
  };

  const rows = (): HTMLElement[] => all('.jp-GpuHeadroom-grid [data-id]');

  const devices = (): HTMLElement[] => all('.jp-GpuHeadroom-panelDevice');

  const row = (name: string): HTMLElement => {
    const found = rows().find(node => node.textContent?.startsWith(name));
    if (!found) {
      throw new Error(`No row ${name}.`);
    }
    return found;
  };

  const key = async (name: string): Promise<void> => {
    const event = { key: name, bubbles: true, cancelable: true };
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', event));
    await rendered();
  };

  const say = (sentence: string): IMessage => ({
    id: 'of a later helper',
    template: sentence,
    params: {},
    text: sentence
  });

  const open = async (
    devices: readonly IDevice[] = [DEVICE],
    sections = 3
  ): Promise<void> => {
    memory.set({
      sample: { ...SAMPLE, busy: false, state: 'live', devices: [...devices] },
      sampleAt_ms: Date.now(),
      cell: { ...CELL, status: 'ok' }
    });
    Widget.attach(panel, document.body);
    panel.hide();
    panel.show();
    await until(
      () => all('.jp-GpuHeadroom-sectionBody:not(:empty)').length === sections
    );
    await rendered();
  };

  const measured = async (
    ...args: Parameters<typeof makeHolders>
  ): Promise<void> => {
    await open();
    memory.send(makeHolders(...args));
    await until(() => rows().length > 0);
  };

  const makePanel = (): void => {
    const documentName = (): string => 'train.ipynb';
    model = new PanelModel({
      memory: page,
      sessions: new FakeServices().sessions,
      insertCell: () => null,
      trans,
      documentName
    });
    addSections(model);
    panel = new GpuPanel(model, () => undefined);
  };

  beforeEach(() => {
    answers = {
      holders: () => Promise.resolve({ status: 'queued', last: null }),
      path: () => Promise.resolve({ status: 'queued' }),
      plan: () => Promise.resolve({ status: 'queued' })
    };
    memory = new FakeMemory(answers);
    page = new FakeGpuMemory(memory);
    makePanel();
  });

  afterEach(() => {
    panel.dispose();
  });

  describe('devices', () => {
    it('should have one line with the headroom and the bar', async () => {
      await open();
      await expectText('GPU 0 Tesla T4');
      await expectText('headroom 8.4 GiB');
      expect(all('[role=img]')[0]?.getAttribute('aria-label')).toContain(
        'in tensors 5.3 GiB'
      );
      expect(text()).not.toContain('used 6.3 of 14.7 GiB');
      expect(devices()[0]?.hasAttribute('aria-selected')).toBe(false);
    });

    it('should show details when the line is opened', async () => {
      const notes = [say('JAX reserved a pool of **11.0 GiB** at its start.')];
      await open([{ ...DEVICE, notes, shared_with_host: true }]);
      devices()[0]?.click();
      await expectText('used 6.3 of 14.7 GiB');
      await expectText('JAX reserved a pool of 11.0 GiB at its start.');
      await expectText('Shared with the host: its programs');
      devices()[0]?.focus();
      await key('ArrowLeft');
      expect(devices()[0]?.getAttribute('aria-expanded')).toBe('false');
    });

    it('should show what initialized CUDA, and what workers use of a device', async () => {
      await open();
      devices()[0]?.click();
      await expectText('used 6.3 of 14.7 GiB');
      expect(text()).not.toContain('CUDA was started');
      memory.set({
        sample: {
          ...SAMPLE,
          seq: 8,
          workers: WORKERS,
          cuda_started: { cell_id: 'cell-3', execution_count: 3 }
        }
      });
      await expectText(
        'CUDA was started by In [3]. Launchers that fork, such as notebook_launcher, need a kernel in which it was not.'
      );
      expect(text()).toContain('of it, 2 workers of this notebook11.0 GiB');
    });

    it('should show the fullest of several until another is picked', async () => {
      await open(TWO_DEVICES);
      const picked = (): (string | null)[] =>
        devices().map(node => node.getAttribute('aria-selected'));
      expect(picked()).toEqual(['true', 'false']);
      devices()[1]?.click();
      await rendered();
      expect(picked()).toEqual(['false', 'true']);
      devices()[1]?.focus();
      await key('ArrowUp');
      expect(picked()).toEqual(['true', 'false']);
      expect(document.activeElement).toBe(devices()[0]);
    });
  });

  describe('what uses GPU memory', () => {
    it('should list the holders by size, and last the unattributed memory', async () => {
      await measured();
      const names = rows().map(
        node => node.querySelector('.jp-mod-name')?.textContent
      );
      expect(names).toEqual([
        'history',
        'optimizer',
        'model',
        'Traceback of In [7]',
        'no name (Tensor)',
        'not attributed'
      ]);
      expect(row('history').textContent).toContain('activations2.0 GiB');
      expect(row('not attributed').textContent).toContain('0.3 GiB');
      await expectText(
        'Named 2.5 GiB + autograd graphs 2.0 GiB + no name 0.3 GiB + not attributed 0.3 GiB = 5.0 GiB in use.'
      );
    });

    it('should name the workspaces of cuBLAS where there are any', async () => {
      const devices = makeHolders().devices.map(device => ({
        ...device,
        parts: makeParts(gib(1 / 64))
      }));
      await measured({ devices });
      expect(row('workspaces of cuBLAS').textContent).toContain('16 MiB');
      expect(row('not attributed').textContent).toContain('0.2 GiB');
      await expectText(
        '+ no name 0.3 GiB + workspaces of cuBLAS 16 MiB + not attributed 0.2 GiB = 5.0 GiB in use.'
      );
    });

    it('should give every bar its number', async () => {
      await measured();
      const bar = row('history').querySelector('[role=img]');
      expect(bar?.getAttribute('aria-label')).toBe(
        '2.0 GiB, 40% of the memory in use'
      );
    });

    it('should sort by the column whose title is pressed', async () => {
      await measured();
      const title = all('[role=columnheader]')[0];
      expect(title?.getAttribute('aria-sort')).toBe('none');
      title?.querySelector('button')?.click();
      await rendered();
      expect(title?.getAttribute('aria-sort')).toBe('ascending');
      expect(rows()[1]?.textContent).toContain('model');
    });

    it('should name the cells only while allocations are recorded', async () => {
      await measured();
      expect(text()).not.toContain('Made in');
      const made = { cell_id: 'cell-3', execution_count: 3, line: 2 };
      const holders = makeHolders({ recording: true });
      holders.devices[0]?.rows[1]?.parts.splice(
        0,
        1,
        ...holders.devices[0].rows[1].parts.map(part => ({
          ...part,
          allocation_site: made
        }))
      );
      memory.send(holders);
      await rendered();
      await expectText('Made in');
      expect(row('optimizer').textContent).toContain('In [3]');
    });

    it('should show details of a row that is opened', async () => {
      await measured();
      row('history').click();
      await rendered();
      await expectText('list, 4 tensors');
      await expectText('Also reached as losses');
      await expectText('2.0 GiB is retained only by the autograd graph.');
      expect(row('[0]').textContent).toContain('[0] and 3 alike');
      expect(row('[0]').textContent).toContain('autograd graphs');
    });

    it('should support the keys of a tree grid', async () => {
      await measured();
      rows()[0]?.focus();
      await key('ArrowDown');
      expect(document.activeElement).toBe(row('optimizer'));
      await key('ArrowUp');
      await key('ArrowRight');
      expect(row('history').getAttribute('aria-expanded')).toBe('true');
      await key('ArrowDown');
      await key('ArrowLeft');
      expect(document.activeElement).toBe(row('history'));
      await key('ArrowLeft');
      expect(row('history').getAttribute('aria-expanded')).toBe('false');
      await key('End');
      expect(document.activeElement).toBe(row('not attributed'));
      await key('Home');
      await key('Enter');
      await key('Enter');
      expect(memory.requests).toContainEqual([
        'path',
        { holder_id: 'name:history' }
      ]);
    });

    it('should have one row in the tab order', async () => {
      await measured();
      const reachable = (): (string | undefined)[] =>
        rows()
          .filter(({ tabIndex }) => tabIndex === 0)
          .map(({ dataset }) => dataset.id);
      expect(reachable()).toEqual(['name:history']);
      row('model').focus();
      await rendered();
      expect(reachable()).toEqual(['name:model']);
    });

    it('should show what retains an object', async () => {
      await measured();
      row('history').click();
      await rendered();
      all('.jp-GpuHeadroom-holderDetail button')[0]?.click();
      await goOn();
      await expectText('Searching…');
      memory.send({
        ...EVENTS.path,
        request_id: '1',
        holder_id: 'name:history',
        paths: [[say('`history`'), say('list'), say('item 12')]],
        message: say('Stopped after 2 s. Found so far:')
      });
      await rendered();
      await expectText('Stopped after 2 s. Found so far:');
      await expectText('history › list › item 12');
    });

    it('should show the last reading while a cell runs', async () => {
      await measured();
      memory.set({
        cell: { ...CELL, status: 'running', execution_count: 8, end_s: null }
      });
      await new Promise(resolve => setTimeout(resolve, 300));
      expect(text()).toMatch(
        /As of In \[6\], .+ Measured when the running cell ends\./
      );
      expect(rows()).toHaveLength(6);
    });

    it('should show that measuring stopped early, and measure all on request', async () => {
      const early = message('holders.incomplete');
      await measured({ complete: false, message: early });
      await expectText('Some names may be missing');
      const before = memory.requests.length;
      all('button')
        .find(button => button.textContent === 'Measure all')
        ?.click();
      await rendered();
      expect(memory.requests.slice(before)).toEqual([
        ['holders', { asked: true }]
      ]);
    });

    it('should show why nothing was measured', async () => {
      const message = say('CUDA has stopped.');
      await measured({ complete: false, devices: [], message });
      await expectText('CUDA has stopped.');
      expect(text()).not.toMatch(/Measuring stopped|As of/);
    });

    it('should wait for the first tensor', async () => {
      await open();
      memory.set({ sample: { ...SAMPLE, state: 'not_initialised' } });
      await expectText('This kernel has not used the GPU yet.');
    });

    it('should measure again on request', async () => {
      await measured();
      const before = memory.requests.length;
      all('[aria-label="Measure again"]')[0]?.click();
      await rendered();
      expect(memory.requests.slice(before)).toEqual([
        ['holders', { asked: true }]
      ]);
    });
  });

  describe('without numbers', () => {
    const show = async (
      ...[state]: Parameters<FakeMemory['set']>
    ): Promise<string> => {
      memory.set({ sample: null, ...state });
      Widget.attach(panel, document.body);
      await rendered();
      expect(panel.widgets).toHaveLength(0);
      return text();
    };

    it('should show that there is no GPU, and what to try', async () => {
      const sample = { ...SAMPLE, state: 'no_gpu' as const, devices: [] };
      const hello = { ...EVENTS.hello, installed: true };
      const said = await show({ sample, hello });
      expect(said).toContain('No GPU.');
      expect(said).toContain('gpu_headroom.simulate()');
    });

    it('should show that nothing is on the GPU yet', async () => {
      const sample = { ...SAMPLE, state: 'no_framework' as const, devices: [] };
      expect(await show({ sample })).toContain('Nothing on the GPU yet.');
    });

    it('should show that the kernel does not reply', async () => {
      expect(await show({ phase: 'disconnected' })).toContain('Not connected.');
    });

    it('should show what went wrong', async () => {
      const problem = 'It is too old.';
      expect(await show({ phase: 'failed', problem })).toContain(problem);
    });

    it('should offer to start the helper if the settings require a click', async () => {
      const start = jest.spyOn(memory, 'start');
      await show({ phase: 'off', offReason: 'click' });
      all('button')
        .find(({ textContent }) => textContent === 'Start')
        ?.click();
      expect(start).toHaveBeenCalledTimes(1);
    });
  });

  describe('its sections', () => {
    const titles = (): (string | null)[] =>
      all('.lm-AccordionPanel-titleLabel').map(node => node.textContent);

    /** The handle of a section, which contains its title. */
    const title = (name: string): HTMLElement | undefined =>
      all('.jp-AccordionPanel-title').find(node =>
        node.textContent?.startsWith(name)
      );

    it('should open and close', async () => {
      await open();
      expect(title('Can be freed')?.getAttribute('aria-expanded')).toBe('true');
      title('Can be freed')?.click();
      expect(title('Can be freed')?.getAttribute('aria-expanded')).toBe(
        'false'
      );
      expect(panel.widgets.map(({ isHidden }) => isHidden)).toEqual([
        false,
        false,
        true
      ]);
    });

    it('should measure only what is open and on screen', async () => {
      const asked = (): number =>
        memory.requests.filter(([type]) => type === 'holders').length;
      await measured();
      title('What holds')?.click();
      const before = asked();
      memory.set({ cell: { ...CELL, status: 'ok', end_s: 900 } });
      await new Promise(resolve => setTimeout(resolve, 400));
      expect(asked()).toBe(before);
      title('What holds')?.click();
      await until(() => asked() > before);
      expect(asked()).toBeGreaterThan(before);
    });

    it('should be opened by name', async () => {
      await open();
      const scroll = jest.fn();
      Element.prototype.scrollIntoView = scroll;
      title('Can be freed')?.click();
      await panel.reveal('freeable');
      const opened = title('Can be freed');
      expect(opened?.getAttribute('aria-expanded')).toBe('true');
      expect(document.activeElement).toBe(opened);
      await until(() => scroll.mock.calls.length > 0);
      expect(scroll).toHaveBeenCalledWith({ block: 'nearest' });
    });

    it('should be added and removed with their plugins', async () => {
      await open();
      const added = model.sections.add(() =>
        Promise.resolve({
          id: 'tips',
          rank: 25,
          label: () => 'Tips',
          total: () => '1 tip',
          Body: () => React.createElement('p', {}, 'Tip')
        })
      );
      await until(() => title('Tips') !== undefined);
      expect(titles().slice(0, 2)).toEqual(['Devices', 'Tips']);
      expect(title('Tips')?.textContent).toBe('Tips1 tip');
      await expectText('Tip');
      added.dispose();
      expect(titles()).not.toContain('Tips');
    });

    it('should show what can be freed before the holders after a failure', async () => {
      await open();
      expect(titles().slice(1)).toEqual([
        'What holds GPU memory',
        'Can be freed'
      ]);
      memory.set({ lastOom: EVENTS.oom });
      await until(() => titles()[1] === 'Can be freed');
      expect(titles().slice(1)).toEqual([
        'Can be freed',
        'What holds GPU memory'
      ]);
    });

    it('should not move while the user works in them', async () => {
      await open();
      title('Devices')?.focus();
      memory.set({ lastOom: EVENTS.oom });
      await new Promise(resolve => setTimeout(resolve, 300));
      expect(titles()[1]).toBe('What holds GPU memory');
    });
  });

  it('should follow the focus to another kernel', async () => {
    await measured();
    page.current = null;
    page.currentChanged.emit();
    await rendered();
    await expectText('Open a notebook or a console');
  });

  it('should render nothing while it is hidden', async () => {
    await open();
    panel.hide();
    memory.set({
      sample: { ...SAMPLE, devices: [{ ...DEVICE, headroom_bytes: gib(1) }] }
    });
    await new Promise(resolve => setTimeout(resolve, 300));
    expect(text()).not.toContain('headroom 1.0 GiB');
  });
});
