import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { VDomRenderer } from '@jupyterlab/ui-components';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import { FakeGpuMemory, FakeMemory } from '../../__tests__/memory';
import { until } from '../../__tests__/rendering';
import { gib, message } from '../../__tests__/report';
import { CELL, DEVICE, SAMPLE } from '../../__tests__/samples';
import { makeHolders } from '../../panel/__tests__/held';
import { type IPanelSection, PanelModel } from '../../panel/model';
import type { IDevice } from '../../protocol';
import { FakeServices } from '../../release/__tests__/services';
import type { IOtherKernel } from '../otherkernel';
import type { OtherKernels } from '../otherkernels';
import { othersSection } from '../section';

const trans = nullTranslator.load('gpu-headroom');

const HOUR_MS = 3_600_000;

/** Other kernels, set by a test. */
class FakeOthers {
  readonly changed = new Signal<this, void>(this);
  readonly ended: string[] = [];
  kernels: readonly IOtherKernel[] = [];
  unasked = 0;
  isAsking = false;
  mayShutDown = true;
  watchers = 0;
  refusal: Error | null = null;

  watch(): IDisposable {
    this.watchers++;
    return new DisposableDelegate(() => {
      this.watchers--;
    });
  }

  askUnasked(): void {
    this.unasked = 0;
    this.isAsking = true;
    this.changed.emit();
  }

  isSharing(): boolean {
    return this.kernels.length > 0;
  }

  shutDown(id: string): Promise<void> {
    if (this.refusal) {
      return Promise.reject(this.refusal);
    }
    this.ended.push(id);
    this.kernels = this.kernels.filter(kernel => kernel.id !== id);
    this.changed.emit();
    return Promise.resolve();
  }
}

const messages = (): string[] =>
  Notification.manager.notifications.map(({ message }) => message);

/** The section on its own. */
class Section extends VDomRenderer<PanelModel> {
  constructor(
    model: PanelModel,
    private readonly _section: IPanelSection
  ) {
    super(model);
  }

  protected override render(): React.JSX.Element {
    return <this._section.Body model={this.model} />;
  }
}

describe('other notebooks on this GPU', () => {
  let others: FakeOthers;
  let memory: FakeMemory;
  let model: PanelModel;
  let section: Section;

  /** A notebook that uses that much of the GPU. */
  const notebook = (
    id: string,
    size: number,
    change: Partial<IOtherKernel> = {}
  ): IOtherKernel => ({
    id,
    name: `${id}.ipynb`,
    path: `runs/${id}.ipynb`,
    isBusy: false,
    idleSince_ms: Date.now() - 2 * HOUR_MS,
    devices: [{ ...DEVICE, in_use_bytes: gib(size), cached_bytes: 0 }],
    ...change
  });

  const show = async (device: Partial<IDevice> = {}): Promise<void> => {
    memory.set({
      sample: {
        ...SAMPLE,
        busy: false,
        devices: [{ ...DEVICE, others_bytes: gib(4.9), ...device }]
      },
      cell: { ...CELL, status: 'ok' }
    });
    const before = section.renderPromise;
    section.update();
    await until(() => section.renderPromise !== before);
    await section.renderPromise;
  };

  const text = (): string => section.node.textContent ?? '';

  const button = (label: string): HTMLButtonElement | undefined =>
    [...section.node.querySelectorAll('button')].find(
      each =>
        each.getAttribute('aria-label') === label || each.textContent === label
    );

  const dialog = (): HTMLElement | null =>
    document.querySelector('.jp-Dialog-content');

  const expectDialog = async (words: string): Promise<void> => {
    const read = (): string => dialog()?.textContent ?? '';
    await until(() => read().includes(words));
    expect(read()).toContain(words);
  };

  /** Press a button of the dialog, which closes it. */
  const press = async (label: string): Promise<void> => {
    const pressed = dialog();
    [...(pressed?.querySelectorAll('button') ?? [])]
      .find(({ textContent }) => textContent === label)
      ?.click();
    await until(() => dialog() !== pressed);
  };

  beforeEach(() => {
    Notification.manager.dismiss();
    others = new FakeOthers();
    memory = new FakeMemory();
    model = new PanelModel({
      memory: new FakeGpuMemory(memory),
      sessions: new FakeServices().sessions,
      insertCell: () => null,
      trans,
      documentName: () => 'train.ipynb'
    });
    const shown = othersSection(others as unknown as OtherKernels);
    model.sections.add(() => Promise.resolve(shown));
    void model.sections.load();
    model.isShown = true;
    section = new Section(model, shown);
    Widget.attach(section, document.body);
  });

  afterEach(() => {
    section.dispose();
    model.dispose();
  });

  it('should list each with its activity and memory, and last the rest', async () => {
    others.kernels = [
      notebook('baseline', 0.9, { isBusy: true, idleSince_ms: null }),
      notebook('sweep-lr', 3.6)
    ];
    await show();
    const rows = [...section.node.querySelectorAll('li')].map(
      each => each.textContent
    );
    expect(rows).toEqual([
      'sweep-lr.ipynb idle 2 h3.6 GiBShut down',
      'baseline.ipynb busy0.9 GiBShut down',
      'Other programs0.4 GiB'
    ]);
    expect(
      section.node.querySelector('[title="runs/sweep-lr.ipynb"]')
    ).not.toBeNull();
  });

  it('should not show the rest if it is not measured', async () => {
    others.kernels = [notebook('sweep-lr', 3.6)];
    await show({ others_bytes: null });
    expect(text()).toContain('Other programsnot measured');
  });

  it('should be asked only while it is shown', () => {
    const looking = othersSection(others as unknown as OtherKernels).look?.(
      model
    );
    expect(others.watchers).toBe(1);
    looking?.dispose();
    expect(others.watchers).toBe(0);
  });

  it('should shut down a kernel with consent', async () => {
    others.kernels = [notebook('sweep-lr', 3.6)];
    await show();
    button('Shut down sweep-lr.ipynb')?.click();
    await expectDialog('Shut down the kernel of sweep-lr.ipynb?');
    await expectDialog('runs/sweep-lr.ipynb: 3.6 GiB. Its variables are lost.');
    expect(others.ended).toEqual([]);
    await press('Shut down');
    await until(() => !text().includes('sweep-lr'));
    expect(others.ended).toEqual(['sweep-lr']);
    expect(text()).not.toContain('sweep-lr');
    await until(() => messages().length > 0);
    expect(messages()).toEqual([
      'The kernel of sweep-lr.ipynb was shut down: 3.6 GiB.'
    ]);
  });

  it('should warn before it ends a running cell', async () => {
    others.kernels = [notebook('baseline', 0.9, { isBusy: true })];
    await show();
    button('Shut down baseline.ipynb')?.click();
    await expectDialog(
      '0.9 GiB. A cell is running in it. Its variables are lost.'
    );
    await press('Cancel');
  });

  it('should not shut down a kernel without consent', async () => {
    others.kernels = [notebook('sweep-lr', 3.6)];
    await show();
    button('Shut down sweep-lr.ipynb')?.click();
    await expectDialog('sweep-lr');
    await press('Cancel');
    const isDisabled = (): string | null | undefined =>
      button('Shut down sweep-lr.ipynb')?.getAttribute('aria-disabled');
    await until(() => isDisabled() === null);
    expect(isDisabled()).toBeNull();
    expect(others.ended).toEqual([]);
    expect(text()).toContain('sweep-lr');
  });

  it('should show why a kernel was not shut down', async () => {
    others.kernels = [notebook('sweep-lr', 3.6)];
    others.refusal = new Error('Forbidden.');
    await show();
    button('Shut down sweep-lr.ipynb')?.click();
    await expectDialog('sweep-lr');
    await press('Shut down');
    await until(() => messages().length > 0);
    expect(messages()).toEqual([
      'The kernel of sweep-lr.ipynb was not shut down: Forbidden.'
    ]);
  });

  it('should offer no button if settings forbid it', async () => {
    others.kernels = [notebook('sweep-lr', 3.6)];
    others.mayShutDown = false;
    await show();
    expect(text()).toContain('sweep-lr');
    expect(section.node.querySelector('button')).toBeNull();
  });

  it('should ask kernels without a page on request', async () => {
    others.unasked = 2;
    await show();
    expect(text()).toContain('2 kernels without a connected page were skipped');
    button('Ask anyway')?.click();
    await show();
    expect(text()).not.toContain('were skipped');
    expect(text()).toContain('Measuring…');
    others.isAsking = false;
    others.changed.emit();
    await until(() => !text().includes('Asking'));
    expect(text()).not.toContain('Asking');
  });

  describe('other programs', () => {
    it('should be listed as the driver lists them', async () => {
      memory.send(
        makeHolders({}, [
          { pid: 1, name: 'python', bytes: gib(0.5) },
          { pid: 4711, name: null, bytes: null }
        ])
      );
      await show({ others_bytes: gib(0.5) });
      expect(text()).toContain('Other programs0.5 GiB');
      expect(section.node.querySelector('details')?.textContent).toBe(
        'Processes, as the driver lists thempython0.5 GiBprocess 4711not measured'
      );
    });

    it('should be shown in one line', async () => {
      await show({ others_bytes: gib(0.7) });
      expect(text()).toBe('Other programs0.7 GiB');
    });

    it('should be shown if Windows does not report them', async () => {
      const notes = [message('note.wddm_others')];
      await show({ others_bytes: null, notes });
      expect(text()).toBe('Other programsnot available on Windows');
    });

    it('should be shown if there are none', async () => {
      await show({ others_bytes: 0 });
      expect(text()).toBe('No other program uses this GPU.');
    });
  });
});
