import type { ISessionContext } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import type { IConsoleTracker } from '@jupyterlab/console';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

import { formatPrompt } from '../text/format';

/** Position of a report on the page, with its notebook or console and kernel. */
export interface IPlace {
  readonly sessionContext: ISessionContext;
  /** The notebook whose cells can be edited and run; `null` in a console. */
  readonly panel: NotebookPanel | null;
}

/** The notebook in which a button was pressed. */
export interface ISite {
  readonly panel: NotebookPanel;
  /** The cell that contains the report. */
  readonly cellId: string | null;
}

/** Finds the notebook or console around a report. */
export class Places {
  constructor(
    private readonly _notebooks: INotebookTracker | null,
    private readonly _consoles: IConsoleTracker | null
  ) {}

  /**
   * Find the place of a node attached to the page; `null` if it is outside of notebooks
   * and consoles, as in a view of one output.
   */
  find(node: Node): IPlace | null {
    const isAround = (widget: Widget): boolean => widget.node.contains(node);
    const panel = this._notebooks?.find(isAround) ?? null;
    const target = panel ?? this._consoles?.find(isAround);
    return target ? { sessionContext: target.sessionContext, panel } : null;
  }
}

/** The id of the notebook's code cell that contains a node. */
export function cellAround(panel: NotebookPanel, node: Node): string | null {
  const cell = panel.content.widgets.find(
    widget => widget instanceof CodeCell && widget.node.contains(node)
  );
  return cell?.model.id ?? null;
}

/** The current code of the cell that contains a report; `null`: unknown. */
export function sourceAround(site: ISite | null): string | null {
  const cells = [...(site?.panel.model?.cells ?? [])];
  const cell = cells.find(({ id }) => id === site?.cellId);
  return cell?.sharedModel.getSource() ?? null;
}

/** The prompt of a cell: "In [2]", without a number if it has not run. */
export function promptOf(panel: NotebookPanel | null, cellId: string): string {
  const cell = panel?.content.widgets.find(({ model }) => model.id === cellId);
  return formatPrompt(
    cell instanceof CodeCell ? cell.model.executionCount : null
  );
}
