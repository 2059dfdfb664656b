import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import type { ITranslator } from '@jupyterlab/translation';

/**
 * Run exactly these cells in this order, without changing the selection.
 *
 * @returns whether all of them succeeded; false, with nothing run, if one of them is
 *   no longer in the notebook
 */
export async function runCells(
  panel: NotebookPanel,
  ids: readonly string[],
  translator: ITranslator
): Promise<boolean> {
  const { content, context } = panel;
  const cells = ids.map(id =>
    content.widgets.find(widget => widget.model.id === id)
  );
  const existing = cells.filter(cell => cell !== undefined);
  return existing.length === ids.length
    ? NotebookActions.runCells(
        content,
        existing,
        context.sessionContext,
        undefined,
        translator
      )
    : false;
}
