import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { FakeGpuMemory, FakeMemory } from '../../__tests__/memory';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import { gib } from '../../__tests__/report';
import { CELL, DEVICE, SAMPLE } from '../../__tests__/samples';
import type { ICell, IDevice } from '../../protocol';
import { DEFAULT_SETTINGS, type Settings } from '../../settings';
import { Follower } from '../follower';

const GPU: IDevice = {
  ...DEVICE,
  index: 0,
  simulated: false,
  name: 'Tesla T4',
  capacity_bytes: gib(14.7)
};

const LAST = {
  name: 'NVIDIA A100',
  capacity_bytes: gib(40),
  peak_bytes: gib(31),
  cell_id: 'one'
};

const RUN: ICell = {
  ...CELL,
  cell_id: 'one',
  status: 'ok',
  memory: CELL.memory
    .slice(0, 1)
    .map(each => ({ ...each, device_index: 0, peak_bytes: gib(9) }))
};

describe('Follower', () => {
  let panel: NotebookPanel;
  let kernel: FakeMemory;
  let disposed: Signal<object, void>;
  let rememberGpu: boolean;
  let told: string[];

  beforeEach(() => {
    silenceYjs();
    disposed = new Signal<object, void>({});
    kernel = new FakeMemory();
    rememberGpu = true;
    told = [];
    panel = Object.assign(makePanel([{ id: 'one' }]), {
      disposed,
      sessionContext: {
        session: { kernel: {} },
        kernelChanged: new Signal<object, void>({})
      }
    });
  });

  const follow = (): Follower =>
    new Follower({
      panel,
      memory: new FakeGpuMemory(kernel),
      settings: {
        get current() {
          return { ...DEFAULT_SETTINGS, rememberGpu };
        }
      } as unknown as Settings,
      trans: nullTranslator.load('gpu-headroom'),
      tell: sentence => told.push(sentence)
    });
  const read = (): void => {
    kernel.set({ sample: { ...SAMPLE, devices: [GPU] } });
  };
  const kept = (): unknown => panel.model?.getMetadata('gpu_headroom');

  it('should say once for each life that the GPU is too small', () => {
    panel.model?.setMetadata('gpu_headroom', { last_ran: LAST });
    follow();
    expect(told).toEqual([]);
    read();
    read();
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('This notebook last needed 31.0 GiB');
    kernel.restart();
    read();
    expect(told).toHaveLength(2);
  });

  it('should change nothing by opening a notebook', () => {
    let changes = 0;
    panel.model?.contentChanged.connect(() => changes++);
    panel.model?.metadataChanged.connect(() => changes++);
    follow();
    read();
    expect(changes).toBe(0);
    expect(kept()).toBeUndefined();
  });

  it('should remember what a cell needed', () => {
    follow();
    read();
    kernel.send(RUN);
    expect(kept()).toMatchObject({
      last_ran: { name: 'Tesla T4', peak_bytes: gib(9), cell_id: 'one' }
    });
    expect(told).toEqual([]);
  });

  it('should neither remember nor say anything where that is not wanted', () => {
    panel.model?.setMetadata('gpu_headroom', { last_ran: LAST });
    rememberGpu = false;
    follow();
    read();
    kernel.send(RUN);
    expect(kept()).toEqual({ last_ran: LAST });
    expect(told).toEqual([]);
  });

  it('should leave a notebook alone that says so', () => {
    panel.model?.setMetadata('gpu_headroom', false);
    follow();
    read();
    kernel.send(RUN);
    expect(kept()).toBe(false);
  });

  it('should hear nothing more when the notebook is closed', () => {
    follow();
    read();
    disposed.emit();
    kernel.send(RUN);
    expect(kept()).toBeUndefined();
  });
});
