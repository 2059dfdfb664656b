import type { NotebookPanel } from '@jupyterlab/notebook';

/**
 * Whether a notebook must not be changed: its file is read-only, or JupyterLab shows it
 * view-only, which is possible from 4.7 on.
 */
export function isLocked({
  content,
  model
}: Pick<NotebookPanel, 'content' | 'model'>): boolean {
  return !model || model.readOnly || isViewOnly(content);
}

/** Whether a cell must not be changed. */
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
