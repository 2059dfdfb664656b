import type { ISessionContext } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import type { IConsoleTracker } from '@jupyterlab/console';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

import { formatPrompt } from '../text/format';

/** Where on the page a card stands, and whose kernel made it. */
export interface IPlace {
  readonly sessionContext: ISessionContext;
  /** The notebook whose cells can be edited and run; `null` in a console. */
  readonly panel: NotebookPanel | null;
}

/** The notebook in which a button was pressed. */
export interface ISite {
  readonly panel: NotebookPanel;
  /** The cell that holds the card. */
  readonly cellId: string | null;
}

/**
 * Finds the notebook or console around a card.
 */
export class Places {
  constructor(
    private readonly _notebooks: INotebookTracker | null,
    private readonly _consoles: IConsoleTracker | null
  ) {}

  /**
   * Find the place of a node that is attached to the page; `null` elsewhere,
   * as in a view of one output.
   */
  find(node: Node): IPlace | null {
    const isAround = (widget: Widget): boolean => widget.node.contains(node);
    const panel = this._notebooks?.find(isAround) ?? null;
    const found = panel ?? this._consoles?.find(isAround);
    return found ? { sessionContext: found.sessionContext, panel } : null;
  }
}

/**
 * The id of the code cell of a notebook that holds a node.
 */
export function cellAround(panel: NotebookPanel, node: Node): string | null {
  const cell = panel.content.widgets.find(
    widget => widget instanceof CodeCell && widget.node.contains(node)
  );
  return cell?.model.id ?? null;
}

/** The code of the cell that holds a card, as it is now; `null`: not known. */
export function sourceAround(site: ISite | null): string | null {
  const cells = [...(site?.panel.model?.cells ?? [])];
  const cell = cells.find(({ id }) => id === site?.cellId);
  return cell?.sharedModel.getSource() ?? null;
}

/**
 * The prompt of a cell: "In [2]", without a number when it has not run.
 */
export function promptOf(panel: NotebookPanel | null, cellId: string): string {
  const cell = panel?.content.widgets.find(({ model }) => model.id === cellId);
  return formatPrompt(
    cell instanceof CodeCell ? cell.model.executionCount : null
  );
}
