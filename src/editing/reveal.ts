import type { NotebookPanel } from '@jupyterlab/notebook';

/**
 * Bring a line of a cell into view and put the cursor there.
 *
 * @param line - 1-based; the last line if the cell has become shorter
 */
export async function revealLine(
  panel: NotebookPanel,
  cellId: string | null,
  line: number
): Promise<void> {
  const notebook = panel.content;
  const index = notebook.widgets.findIndex(({ model }) => model.id === cellId);
  const cell = notebook.widgets[index];
  if (!cell) {
    return;
  }
  notebook.activeCellIndex = index;
  await notebook.scrollToCell(cell);
  notebook.mode = 'edit';
  const { editor } = cell;
  if (editor) {
    const last = Math.max(editor.lineCount - 1, 0);
    editor.setCursorPosition({ line: Math.min(line - 1, last), column: 0 });
    editor.focus();
  }
}
