import { CodeCell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IOutputAreaModel } from '@jupyterlab/outputarea';
import type { IOutputModel } from '@jupyterlab/rendermime';
import { Signal } from '@lumino/signaling';

import type { Settings } from '../settings';
import { MIME_TYPE } from '../tokens';

/** On a cell that ran out of memory, until it runs again. */
const FAILED_CLASS = 'jp-GpuHeadroom-failedCell';

/**
 * Marks the cells of one notebook whose outputs contain a report.
 *
 * Follows the outputs of the model, so that marks are kept after reloading the page and
 * for cells that are not on screen. In a cell with many outputs, only those added or
 * removed are examined.
 */
export class Marker {
  /** Disposed with the notebook. */
  constructor(
    private readonly _panel: NotebookPanel,
    private readonly _settings: Settings
  ) {
    _panel.disposed.connect(this._stop, this);
    _panel.content.modelChanged.connect(this._onModelChanged, this);
    _settings.changed.connect(this._markAll, this);
    this._onModelChanged();
  }

  private _stop(): void {
    Signal.disconnectReceiver(this);
  }

  private _onModelChanged(): void {
    this._panel.content.model?.cells.changed.connect(this._follow, this);
    this._follow();
  }

  /** Follow each cell once, as cells are added and removed. */
  private _follow(): void {
    for (const cell of this._codeCells()) {
      const { outputs } = cell.model;
      if (this._cells.get(outputs) !== cell) {
        this._cells.set(outputs, cell);
        this._reports.set(outputs, new Set(reportsIn(outputs)));
        outputs.changed.connect(this._onOutputsChanged, this);
        this._mark(cell);
      }
    }
  }

  private _onOutputsChanged(
    outputs: IOutputAreaModel,
    { newValues, oldValues }: IOutputAreaModel.ChangedArgs
  ): void {
    const cell = this._cells.get(outputs);
    const reports = this._reports.get(outputs);
    if (!cell || cell.isDisposed || !reports) {
      return;
    }
    oldValues.forEach(output => reports.delete(output));
    newValues.filter(isReport).forEach(output => reports.add(output));
    this._mark(cell);
  }

  private _mark(cell: CodeCell): void {
    const { size = 0 } = this._reports.get(cell.model.outputs) ?? {};
    const failed = this._settings.current.markCells && size > 0;
    cell.toggleClass(FAILED_CLASS, failed);
  }

  private _markAll(): void {
    this._codeCells().forEach(cell => {
      this._mark(cell);
    });
  }

  /**
   * Code cells with a current model: while one is moved there are two, and the old one
   * has no outputs any more.
   */
  private _codeCells(): CodeCell[] {
    return this._panel.content.widgets
      .filter(widget => widget instanceof CodeCell)
      .filter(({ model }) => !model.isDisposed);
  }

  private readonly _cells = new WeakMap<IOutputAreaModel, CodeCell>();
  /** The outputs of a cell that contain a report. */
  private readonly _reports = new WeakMap<
    IOutputAreaModel,
    Set<IOutputModel>
  >();
}

function reportsIn(outputs: IOutputAreaModel): IOutputModel[] {
  return Array.from({ length: outputs.length }, (_, index) =>
    outputs.get(index)
  ).filter(isReport);
}

/**
 * Whether an output contains a report. Printed text cannot, and is not examined, as it
 * may be long.
 */
function isReport(output: IOutputModel): boolean {
  const isText = output.type === 'stream' || output.type === 'error';
  return !isText && MIME_TYPE in output.data;
}
