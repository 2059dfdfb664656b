import { nullTranslator } from '@jupyterlab/translation';

import { FakeGpuMemory, FakeMemory } from '../../__tests__/memory';
import { CELL, SAMPLE } from '../../__tests__/samples';
import { FakeServices } from '../../release/__tests__/services';
import { PanelModel } from '../model';

describe('PanelModel', () => {
  let memory: FakeMemory;
  let page: FakeGpuMemory;
  let model: PanelModel;
  let renders: number;

  beforeEach(() => {
    jest.useFakeTimers();
    memory = new FakeMemory({});
    page = new FakeGpuMemory(memory);
    model = new PanelModel({
      memory: page,
      sessions: new FakeServices().sessions,
      insertCell: () => null,
      trans: nullTranslator.load('gpu-headroom'),
      documentName: () => 'train.ipynb'
    });
    memory.set({
      sample: SAMPLE,
      sampleAt_ms: Date.now(),
      cell: { ...CELL, status: 'running', end_s: null }
    });
    renders = 0;
    model.stateChanged.connect(() => {
      renders++;
    });
  });

  afterEach(() => {
    model.dispose();
    jest.useRealTimers();
  });

  it('should show that numbers are stale, without an event', async () => {
    model.isShown = true;
    await jest.advanceTimersByTimeAsync(2500);
    expect(model.isStale).toBe(false);
    renders = 0;
    await jest.advanceTimersByTimeAsync(2500);
    expect(model.isStale).toBe(true);
    expect(renders).toBe(1);
  });

  it('should keep the results of a kernel while another is focused', () => {
    const { holders, session } = model;
    session?.checklist.choose('traceback', false);
    holders?.toggle('name:model');
    page.current = new FakeMemory({});
    page.currentChanged.emit();
    expect(model.holders).not.toBe(holders);
    expect(model.session?.checklist.choices.size).toBe(0);
    page.current = memory;
    page.currentChanged.emit();
    expect(model.holders?.expanded).toEqual(new Set(['name:model']));
    expect(model.session?.checklist.choices).toEqual(
      new Map([['traceback', false]])
    );
  });

  it('should not check the clock while it is hidden', async () => {
    model.isShown = true;
    model.isShown = false;
    renders = 0;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(renders).toBe(0);
  });
});
