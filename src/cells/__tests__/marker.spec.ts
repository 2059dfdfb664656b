import type { CodeCell } from '@jupyterlab/cells';
import type { IOutput } from '@jupyterlab/nbformat';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { OutputModel } from '@jupyterlab/rendermime';
import { Signal } from '@lumino/signaling';

import { makePanel, silenceYjs } from '../../__tests__/notebook';
import { DEFAULT_SETTINGS, type Settings } from '../../settings';
import { MIME_TYPE } from '../../tokens';
import { Marker } from '../marker';

const REPORT: IOutput = {
  output_type: 'display_data',
  data: { [MIME_TYPE]: {}, 'text/plain': 'Out of GPU memory' },
  metadata: {}
};

describe('Marker', () => {
  let panel: NotebookPanel;
  let markCells: boolean;
  let disposed: Signal<object, void>;
  let settingsChanged: Signal<object, void>;

  beforeEach(() => {
    silenceYjs();
    disposed = new Signal<object, void>({});
    settingsChanged = new Signal<object, void>({});
    const content = makePanel([
      { id: 'one' },
      {
        id: 'two',
        outputs: [{ output_type: 'stream', name: 'stdout', text: 'x' }, REPORT]
      }
    ]);
    panel = Object.assign(content, { disposed });
    markCells = true;
    const settings = {
      changed: settingsChanged,
      get current() {
        return { ...DEFAULT_SETTINGS, markCells };
      }
    } as unknown as Settings;
    new Marker(panel, settings);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const marked = (): string[] =>
    panel.content.widgets
      .filter(cell => cell.hasClass('jp-GpuHeadroom-failedCell'))
      .map(cell => cell.model.id);

  const outputsOf = (index: number) => {
    const cell = panel.model?.cells.get(index);
    if (!cell || !('outputs' in cell)) {
      throw new Error(`Cell ${index} has no outputs`);
    }
    return cell.outputs as {
      add: (output: IOutput) => void;
      clear: () => void;
    };
  };

  it('should mark cells that were saved with a report', () => {
    expect(marked()).toEqual(['two']);
  });

  it('should mark a cell that moves, and access no removed one', () => {
    const failed: Error[] = [];
    const handler = Signal.setExceptionHandler(error => failed.push(error));
    panel.model?.sharedModel.moveCell(1, 0);
    outputsOf(1).add(REPORT);
    Signal.setExceptionHandler(handler);
    expect(marked()).toEqual(['two', 'one']);
    expect(failed).toEqual([]);
  });

  it('should mark a cell when it gets a report, until it runs again', () => {
    outputsOf(0).add(REPORT);
    expect(marked()).toEqual(['one', 'two']);
    outputsOf(0).clear();
    expect(marked()).toEqual(['two']);
  });

  it('should examine each output once, however many there are', () => {
    const cell = panel.content.widgets[0] as CodeCell;
    // JupyterLab would render the outputs and access each of them once more.
    Signal.disconnectReceiver(cell.outputArea);
    const { outputs } = cell.model;
    const looked = jest.spyOn(OutputModel.prototype, 'data', 'get');
    const got = jest.spyOn(outputs, 'get');
    const plain = { ...REPORT, data: { 'text/plain': 'x' } };
    for (let count = 0; count < 10_000; count++) {
      outputs.add(count === 5000 ? REPORT : plain);
    }
    expect(looked).toHaveBeenCalledTimes(2 * 10_000);
    expect(got).not.toHaveBeenCalled();
    expect(marked()).toEqual(['one', 'two']);
    settingsChanged.emit();
    outputs.clear();
    expect(marked()).toEqual(['two']);
    expect(looked).toHaveBeenCalledTimes(2 * 10_000);
  });

  it('should not examine printed text, however long', () => {
    const { outputs } = (panel.content.widgets[0] as CodeCell).model;
    const looked = jest.spyOn(OutputModel.prototype, 'data', 'get');
    Signal.disconnectReceiver(
      (panel.content.widgets[0] as CodeCell).outputArea
    );
    for (let count = 0; count < 100; count++) {
      outputs.add({ output_type: 'stream', name: 'stdout', text: 'x' });
    }
    expect(looked).not.toHaveBeenCalled();
  });

  it('should follow outputs that are replaced', () => {
    const { outputs } = (panel.content.widgets[1] as CodeCell).model;
    outputs.set(1, { ...REPORT, data: { 'text/plain': 'updated' } });
    expect(marked()).toEqual([]);
    outputs.set(0, REPORT);
    expect(marked()).toEqual(['two']);
    outputs.trusted = !outputs.trusted;
    expect(marked()).toEqual(['two']);
    outputs.get(0).setData({ data: { 'text/plain': 'updated' } });
    expect(marked()).toEqual([]);
  });

  it('should follow cells that are added', () => {
    panel.model?.sharedModel.insertCell(2, {
      cell_type: 'code',
      id: 'three',
      outputs: [REPORT]
    });
    expect(marked()).toEqual(['two', 'three']);
  });

  it('should follow the setting', () => {
    markCells = false;
    settingsChanged.emit();
    expect(marked()).toEqual([]);
    outputsOf(0).add(REPORT);
    expect(marked()).toEqual([]);
  });

  it('should stop with its notebook', () => {
    disposed.emit();
    outputsOf(0).add(REPORT);
    expect(marked()).toEqual(['two']);
  });
});
