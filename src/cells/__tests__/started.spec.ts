import { CodeCell } from '@jupyterlab/cells';
import type { IOutput } from '@jupyterlab/nbformat';
import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';

import { FakeGpuMemory, FakeMemory, settle } from '../../__tests__/memory';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import { MIME_TYPE } from '../../tokens';
import plugin from '../plugin';

const PRINTED = 'epoch 1\ntorch.OutOfMemoryError: CUDA out of memory.\n';

describe('The plugin for started processes', () => {
  let kernel: FakeMemory;
  let panel: NotebookPanel;
  let markCells: boolean;
  let source: { composite: object };
  let changed: (source: object) => void;

  const stream = (text: string): IOutput => ({
    output_type: 'stream',
    name: 'stdout',
    text
  });

  const open = (source: string, outputs: IOutput[]): void => {
    panel = makePanel([{ id: 'cell-7', source, outputs }]);
    Object.assign(panel, { sessionContext: { session: { kernel: {} } } });
    const [cell] = panel.content.widgets;
    if (!(cell instanceof CodeCell)) {
      throw new Error('There is no cell');
    }
    const msg = { header: { msg_id: 'message-1' } };
    Object.defineProperty(cell.outputArea, 'future', { value: { msg } });
  };

  /** Emit the signal that JupyterLab emits for each cell that has run. */
  const end = async (): Promise<void> => {
    const executed = NotebookActions.executed as unknown as {
      emit: (args: unknown) => void;
    };
    const { content } = panel;
    executed.emit({ notebook: content, cell: content.widgets[0] });
    await settle();
    await settle();
  };

  beforeAll(async () => {
    silenceYjs();
    const notebooks = {
      forEach: () => undefined,
      widgetAdded: { connect: () => undefined },
      find: (test: (panel: NotebookPanel) => boolean) =>
        [panel].find(each => test(each))
    };
    const memory = new FakeGpuMemory(null);
    memory.find = () => kernel;
    source = {
      get composite() {
        return { markCells };
      }
    };
    const registry = {
      load: () =>
        Promise.resolve({
          composite: source.composite,
          changed: {
            connect: (slot: typeof changed, self: object) => {
              changed = slot.bind(self);
            }
          }
        })
    };
    markCells = true;
    await plugin.activate({} as never, notebooks, memory, registry);
  });

  beforeEach(() => {
    silenceYjs();
    kernel = new FakeMemory({
      explain: () => Promise.resolve({ report_id: 'report-1' })
    });
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each(['x = 1\n!python train.py -b 256', '%%bash\npython train.py'])(
    'should send what a process printed: %j',
    async source => {
      open(source, [stream(PRINTED.slice(0, 20)), stream(PRINTED.slice(20))]);
      await end();
      expect(kernel.requests).toEqual([
        [
          'explain',
          {
            cell_id: 'cell-7',
            parent_id: 'message-1',
            printed: PRINTED
          }
        ]
      ]);
    }
  );

  it('should send nothing of cells that start or print nothing, or have a report', async () => {
    const report = { [MIME_TYPE]: {} };
    open('train()', [stream(PRINTED)]);
    await end();
    open('!python train.py', [
      stream(PRINTED),
      { output_type: 'display_data', data: report, metadata: {} }
    ]);
    await end();
    open('!python train.py', []);
    await end();
    expect(kernel.requests).toEqual([]);
  });

  it('should send the end of what was printed only', async () => {
    open('!python train.py', [stream(`${'.\n'.repeat(2 ** 15)}${PRINTED}`)]);
    await end();
    const [[, sent]] = kernel.requests as [[string, { printed: string }]];
    expect(sent.printed).toHaveLength(2 ** 14);
    expect(sent.printed).toContain(PRINTED);
  });

  it('should examine nothing if cells are not marked', async () => {
    open('!python train.py', [stream(PRINTED)]);
    markCells = false;
    changed(source);
    await end();
    expect(kernel.requests).toEqual([]);
    markCells = true;
    changed(source);
    await end();
    expect(kernel.requests).toHaveLength(1);
  });

  it('should send no request without a helper, and handle a refusal', async () => {
    kernel.answers.explain = () => Promise.reject(new Error('no'));
    open('!python train.py', [stream(PRINTED)]);
    await end();
    expect(kernel.requests).toHaveLength(1);
    kernel.set({ phase: 'off' });
    await end();
    expect(kernel.requests).toHaveLength(1);
  });
});
