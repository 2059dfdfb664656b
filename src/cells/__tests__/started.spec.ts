import { CodeCell } from '@jupyterlab/cells';
import type { IOutput } from '@jupyterlab/nbformat';
import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';

import { FakeGpuMemory, FakeMemory, settle } from '../../__tests__/memory';
import { makePanel, silenceYjs } from '../../__tests__/notebook';
import { MIME_TYPE } from '../../tokens';
import { printedError } from '../printed';
import plugin from '../startedplugin';

const ESC = String.fromCharCode(27);
const ERROR =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.';
const TRACEBACK = [
  'Traceback (most recent call last):',
  '  File "/work/train.py", line 9, in <module>',
  '    train(args)',
  '  File "/work/train.py", line 5, in train',
  '    loss = model(batch)',
  '           ^^^^^^^^^^^^'
];
const STEPS =
  'File "/work/train.py", line 9, in <module>\nFile "/work/train.py", line 5, in train';
const PRINTED = ['epoch 1', ...TRACEBACK, ERROR, ''].join('\n');

describe('printedError', () => {
  it('should take the error and its steps', () => {
    expect(printedError(PRINTED)).toEqual({
      message: ERROR,
      traceback: STEPS
    });
  });

  it('should read behind prefixes of launchers, and past their summaries', () => {
    const text = [
      'Traceback (most recent call last):',
      '  File "/work/other.py", line 1, in <module>',
      'ValueError: another error',
      ...[...TRACEBACK, ERROR].map(line => `[rank0]: ${line}`),
      '',
      'Traceback (most recent call last):',
      '  File "/bin/torchrun", line 8, in <module>',
      'torch.distributed.elastic.ChildFailedError: '
    ].join('\r\n');
    expect(printedError(text)).toEqual({
      message: ERROR,
      traceback: `[rank0]:\n${STEPS}`
    });
  });

  it('should keep what names a rank in the summary of its launcher', () => {
    const summary = [
      '  host      : node7',
      '  rank      : 1 (local_rank: 1)',
      '  exitcode  : 1 (pid: 1294)'
    ];
    const text = [
      PRINTED,
      'Root Cause (first observed failure):',
      '[0]:',
      '  time      : 2026-11-22_02:22:13',
      ...summary,
      '  error_file: <N/A>'
    ].join('\n');
    expect(printedError(text)).toEqual({
      message: ERROR,
      traceback: [...summary, STEPS].join('\n')
    });
  });

  it('should read what was coloured for a terminal', () => {
    const text = [
      'Traceback (most recent call last):',
      `  File ${ESC}[35m"/work/train.py"${ESC}[0m, line ${ESC}[35m9${ESC}[0m, in ${ESC}[35m<module>${ESC}[0m`,
      `${ESC}[1;35mtorch.OutOfMemoryError${ESC}[0m: ${ESC}[35mCUDA out of memory.${ESC}[0m`
    ].join('\n');
    expect(printedError(text)).toEqual({
      message: 'torch.OutOfMemoryError: CUDA out of memory.',
      traceback: 'File "/work/train.py", line 9, in <module>'
    });
  });

  it('should leave alone what is no error of memory', () => {
    expect(printedError('')).toBeNull();
    expect(printedError('out of memory, going on with half')).toBeNull();
    expect(printedError(`${TRACEBACK.join('\n')}\nValueError: x`)).toBeNull();
  });

  it('should leave alone what a program has survived', () => {
    const text = `${PRINTED}${'epoch, with half of it\n'.repeat(100)}`;
    expect(printedError(text)).toBeNull();
  });

  it('should say less than a request may', () => {
    const steps = Array(1000).fill(TRACEBACK[1]).join('\n');
    const found = printedError(`${steps}\n${ERROR}${'!'.repeat(20_000)}`);
    expect(found?.message.length).toBeLessThan(10_000);
    expect(found?.traceback.length).toBeLessThan(10_000);
  });
});

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

  /** What JupyterLab says of each cell that it has run. */
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
    'should hand over what a process printed: %j',
    async source => {
      open(source, [stream(PRINTED.slice(0, 80)), stream(PRINTED.slice(80))]);
      await end();
      expect(kernel.requests).toEqual([
        [
          'explain',
          {
            cell_id: 'cell-7',
            parent_id: 'message-1',
            message: ERROR,
            traceback: STEPS
          }
        ]
      ]);
    }
  );

  it('should not look at cells that start nothing, or have their card', async () => {
    const card = { [MIME_TYPE]: {} };
    open('train()', [stream(PRINTED)]);
    await end();
    open('!python train.py', [
      stream(PRINTED),
      { output_type: 'display_data', data: card, metadata: {} }
    ]);
    await end();
    open('!python train.py', [stream('done')]);
    await end();
    expect(kernel.requests).toEqual([]);
  });

  it('should look at the end of what was printed only', async () => {
    open('!python train.py', [stream(`${PRINTED}${'.\n'.repeat(2 ** 15)}`)]);
    await end();
    expect(kernel.requests).toEqual([]);
  });

  it('should look at nothing where cells are not marked', async () => {
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

  it('should ask no helper that is not there, and live with a refusal', async () => {
    kernel.answers.explain = () => Promise.reject(new Error('no'));
    open('!python train.py', [stream(PRINTED)]);
    await end();
    expect(kernel.requests).toHaveLength(1);
    kernel.set({ phase: 'off' });
    await end();
    expect(kernel.requests).toHaveLength(1);
  });
});
