import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { FakeGpuMemory, FakeMemory, settle } from '../../__tests__/memory';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import { EVENTS } from '../../__tests__/samples';
import type { ICell } from '../../protocol';
import {
  makePlan,
  makeVariable,
  TRACEBACK
} from '../../release/__tests__/plans';
import { FakeServices } from '../../release/__tests__/services';
import { DEFAULT_SETTINGS, type Settings } from '../../settings';
import { crc32 } from '../crc32';
import { GIB } from '../../text/format';
import { Badges } from '../badges';
import { BadgeView } from '../badgeview';

const MEMORY = {
  device_index: 0,
  change_bytes: GIB,
  peak_bytes: 2 * GIB,
  peak_at_most_bytes: 2 * GIB,
  needed_bytes: 2 * GIB,
  alloc_retries: 0,
  ooms: 0
};

const RUN: ICell = {
  ...EVENTS.cell,
  cell_id: 'one',
  status: 'ok',
  growth: null,
  memory: [MEMORY]
};

describe('Badges', () => {
  let panel: NotebookPanel;
  let kernel: FakeMemory;
  let showBadges: boolean;
  let settingsChanged: Signal<object, void>;
  let disposed: Signal<object, void>;
  let opened: number;
  let services: FakeServices;

  beforeEach(() => {
    silenceYjs();
    disposed = new Signal<object, void>({});
    settingsChanged = new Signal<object, void>({});
    kernel = new FakeMemory({
      plan: () => Promise.resolve({ status: 'queued' })
    });
    services = new FakeServices();
    const sessionContext = {
      session: { kernel: {} },
      kernelChanged: new Signal<object, void>({})
    };
    const content = makePanel([{ id: 'one' }, { id: 'two' }]);
    panel = Object.assign(content, {
      disposed,
      sessionContext
    });
    showBadges = true;
    opened = 0;
    const settings = {
      changed: settingsChanged,
      get current() {
        return { ...DEFAULT_SETTINGS, showBadges };
      }
    } as unknown as Settings;
    new Badges({
      panel,
      memory: new FakeGpuMemory(kernel),
      settings,
      sessions: services.sessions,
      trans: nullTranslator.load('gpu-headroom'),
      open: () => {
        opened += 1;
      }
    });
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const tell = async (run: ICell): Promise<void> => {
    kernel.set({ runs: [...kernel.state.runs, run] });
    kernel.send(run);
    await settle();
  };

  const row = (index: number): HTMLElement | null =>
    panel.content.widgets[index]?.node.querySelector<HTMLElement>(
      '.jp-GpuHeadroom-badgeRow:not(.lm-mod-hidden)'
    ) ?? null;

  it('should put a badge below the cell that ran, and no other', async () => {
    await tell(RUN);
    expect(row(0)?.textContent).toContain('+1.0 GiB · peak 2.0 GiB');
    expect(row(1)).toBeNull();
  });

  it('should render only the cell whose start or end is reported', async () => {
    await tell(RUN);
    await tell({ ...RUN, cell_id: 'two', start_s: RUN.start_s + 1 });
    const drawn = jest.spyOn(BadgeView.prototype, 'draw');
    kernel.send(RUN);
    expect(drawn).toHaveBeenCalledTimes(1);
  });

  it('should open more at a click', async () => {
    await tell(RUN);
    row(0)?.querySelector('button')?.click();
    expect(opened).toBe(1);
  });

  const leave = (headroom_bytes: number): void => {
    const devices = EVENTS.sample.devices.map(device => ({
      ...device,
      index: 0,
      headroom_bytes
    }));
    kernel.set({ sample: { ...EVENTS.sample, busy: false, devices } });
  };

  const planned = async (bytes: number): Promise<void> => {
    await settle();
    kernel.send(
      makePlan([
        { ...TRACEBACK, expected_bytes: bytes },
        { ...makeVariable('model'), expected_bytes: 9 * GIB }
      ])
    );
    await new Promise(resolve => setTimeout(resolve, 1100));
  };

  it('should offer to free the safe set first if that is enough', async () => {
    leave(GIB);
    panel.content.activeCellIndex = 0;
    await tell(RUN);
    await planned(1.5 * GIB);
    const button = row(0)?.querySelector('button');
    expect(button?.textContent).toBe('Free 1.5 GiB first');
    button?.click();
    await settle();
    expect(services.released).toEqual([[['traceback'], []]]);
  });

  it('should not offer to free what would not be enough', async () => {
    leave(GIB);
    panel.content.activeCellIndex = 0;
    await tell(RUN);
    await planned(0.9 * GIB);
    expect(row(0)?.textContent).toContain('headroom is 1.00 GiB');
    expect(row(0)?.textContent).not.toContain('first');
  });

  it('should measure only while the active cell lacks memory', async () => {
    leave(4 * GIB);
    panel.content.activeCellIndex = 0;
    await tell(RUN);
    await settle();
    expect(kernel.requests).toEqual([]);
  });

  it('should stop measuring once the active cell cannot lack memory', async () => {
    const looking = { dispose: jest.fn(), isDisposed: false };
    const { plan } = services.sessions.get(kernel).checklist;
    jest.spyOn(plan, 'show').mockReturnValue(looking);
    panel.model?.sharedModel.insertCell(2, {
      cell_type: 'markdown',
      source: 'Words.'
    });
    leave(GIB);
    panel.content.activeCellIndex = 0;
    await tell(RUN);
    expect(looking.dispose).not.toHaveBeenCalled();
    panel.content.activeCellIndex = 2;
    expect(looking.dispose).toHaveBeenCalledTimes(1);
  });

  it('should warn on the active cell only', async () => {
    leave(GIB);
    panel.content.activeCellIndex = 0;
    await tell(RUN);
    expect(row(0)?.textContent).toContain('headroom is 1.00 GiB');
    panel.content.activeCellIndex = 1;
    expect(row(0)?.textContent).not.toContain('headroom is');
  });

  it('should mark results from before an edit', async () => {
    const source = 'kept = make()';
    const model = panel.content.widgets[0]?.model.sharedModel;
    model?.setSource(source);
    leave(GIB);
    panel.content.activeCellIndex = 0;
    await tell({ ...RUN, source_crc32: crc32(source) });
    expect(row(0)?.textContent).toContain('headroom is 1.00 GiB');
    expect(row(0)?.textContent).not.toContain('before the edit');

    model?.setSource('kept = make_less()');
    await new Promise(resolve => setTimeout(resolve, 1100));
    expect(row(0)?.textContent).toContain(
      '+1.0 GiB · peak 2.0 GiB · before the edit'
    );
    expect(row(0)?.textContent).not.toContain('headroom is');

    model?.setSource(source);
    await new Promise(resolve => setTimeout(resolve, 1100));
    expect(row(0)?.textContent).not.toContain('before the edit');
  });

  it('should follow the setting', async () => {
    await tell(RUN);
    showBadges = false;
    settingsChanged.emit();
    expect(row(0)).toBeNull();
  });

  it('should drop results with the kernel', async () => {
    await tell(RUN);
    kernel.set({ runs: [] });
    await new Promise(resolve => setTimeout(resolve, 1100));
    expect(row(0)).toBeNull();
  });

  it('should stop with its notebook', async () => {
    disposed.emit();
    await tell(RUN);
    expect(row(0)).toBeNull();
  });
});
