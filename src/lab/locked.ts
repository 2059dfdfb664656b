import type { NotebookPanel } from '@jupyterlab/notebook';

/**
 * Whether nothing is to be changed in a notebook: its file is read-only, or JupyterLab
 * shows it view-only, which 4.7 is the first to do.
 */
export function isLocked({
  content,
  model
}: Pick<NotebookPanel, 'content' | 'model'>): boolean {
  return !model || model.readOnly || isViewOnly(content);
}

/** The same of one of its cells. */
export function isCellLocked(
  panel: Pick<NotebookPanel, 'content' | 'model'>,
  id: string
): boolean {
  const widget = panel.content.widgets.find(({ model }) => model.id === id);
  return (
    isLocked(panel) ||
    widget === undefined ||
    widget.readOnly ||
    isViewOnly(widget) ||
    widget.model.getMetadata('editable') === false
  );
}

function isViewOnly(widget: object): boolean {
  return 'viewOnly' in widget && widget.viewOnly === true;
}
