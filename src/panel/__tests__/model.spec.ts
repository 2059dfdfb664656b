import { nullTranslator } from '@jupyterlab/translation';

import { FakeGpuMemory, FakeMemory } from '../../__tests__/memory';
import { CELL, SAMPLE } from '../../__tests__/samples';
import { PanelModel } from '../model';
import { makeServices } from './services';

describe('PanelModel', () => {
  let memory: FakeMemory;
  let model: PanelModel;
  let renders: number;

  beforeEach(() => {
    jest.useFakeTimers();
    memory = new FakeMemory({});
    model = new PanelModel({
      memory: new FakeGpuMemory(memory),
      services: makeServices(),
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

  it('should show that numbers have grown old, though nothing is said of it', async () => {
    model.isShown = true;
    await jest.advanceTimersByTimeAsync(2500);
    expect(model.isStale).toBe(false);
    renders = 0;
    await jest.advanceTimersByTimeAsync(2500);
    expect(model.isStale).toBe(true);
    expect(renders).toBe(1);
  });

  it('should not look at the clock while nobody looks at it', async () => {
    model.isShown = true;
    model.isShown = false;
    renders = 0;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(renders).toBe(0);
  });
});
