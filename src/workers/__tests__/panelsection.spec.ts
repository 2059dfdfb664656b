import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { FakeGpuMemory, FakeMemory } from '../../__tests__/memory';
import { rendered, until } from '../../__tests__/rendering';
import { REPLIES, SAMPLE } from '../../__tests__/samples';
import { UNMEASURED, WORKERS, workersWith } from '../../__tests__/workers';
import { PanelModel } from '../../panel/model';
import { GpuPanel } from '../../panel/panel';
import { FakeServices } from '../../release/__tests__/services';
import { Settings } from '../../settings';
import { workersSection } from '../panelsection';

describe('workers in the panel', () => {
  let memory: FakeMemory;
  let panel: GpuPanel;
  let settings: Settings;

  const titles = (): HTMLElement[] => [
    ...panel.node.querySelectorAll<HTMLElement>('.jp-AccordionPanel-title')
  ];

  const names = (): (string | null)[] => titles().map(node => node.textContent);

  const expectText = async (words: string): Promise<void> => {
    await until(() => (panel.node.textContent ?? '').includes(words));
    expect(panel.node.textContent).toContain(words);
  };

  const asked = (): number =>
    memory.requests.filter(([type]) => type === 'workers').length;

  const read = (seq: number, workers = WORKERS): void => {
    const sample = { ...SAMPLE, devices: [], seq, workers };
    memory.set({ sample, sampleAt_ms: Date.now() });
  };

  beforeEach(() => {
    memory = new FakeMemory({
      workers: () => Promise.resolve(REPLIES.workers)
    });
    settings = new Settings();
    const model = new PanelModel({
      memory: new FakeGpuMemory(memory),
      sessions: new FakeServices().sessions,
      insertCell: () => null,
      trans: nullTranslator.load('gpu-headroom'),
      documentName: () => 'train.ipynb'
    });
    model.sections.add(() => Promise.resolve(workersSection(settings)));
    panel = new GpuPanel(model, () => undefined);
    Widget.attach(panel, document.body);
    panel.hide();
    panel.show();
  });

  afterEach(() => {
    panel.dispose();
  });

  it('should have a section while there are any, also without a GPU', async () => {
    read(1);
    await expectText('rank 1');
    expect(names()).toEqual(['Workers15.0 GiB']);
    memory.set({ sample: { ...SAMPLE, seq: 2, workers: null } });
    await until(() => names().length === 0);
    expect(names()).toEqual([]);
  });

  it('should be requested only while their section is open', async () => {
    read(1);
    await until(() => asked() === 1);
    titles()[0]?.click();
    await rendered();
    read(2);
    await new Promise(resolve => setTimeout(resolve, 1100));
    expect(asked()).toBe(1);
  });

  it('should be measured only where that may be offered', async () => {
    const workers = workersWith({ engines: [UNMEASURED], fullest: null });
    memory.answers.workers = () =>
      Promise.resolve({ ...REPLIES.workers, workers });
    const current = { ...settings.current, measureWorkers: 'never' as const };
    const setting = jest.spyOn(settings, 'current', 'get');
    setting.mockReturnValue(current);
    read(1, workers);
    await expectText('40 Dask workers: not measured.');
    expect(panel.node.textContent).not.toContain('Measure all');
    setting.mockRestore();
    read(2, workers);
    await expectText('Measure all');
  });
});
