import type { NotebookPanel } from '@jupyterlab/notebook';

import { isLocked } from './locked';

/**
 * Insert a code cell below another one and activate it, without running it.
 *
 * @returns its id; `null`, with nothing inserted, if the notebook is read-only
 */
export function insertBelow(
  panel: NotebookPanel,
  index: number,
  source: string
): string | null {
  const { content: notebook, model } = panel;
  if (!model || isLocked(panel)) {
    return null;
  }
  const cell = model.sharedModel.insertCell(index + 1, {
    cell_type: 'code',
    source,
    // As for any cell that the user adds, so that its output may be shown.
    metadata: { trusted: true }
  });
  notebook.activeCellIndex = index + 1;
  notebook.deselectAll();
  return cell.id;
}
