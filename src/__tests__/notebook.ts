import type { ISessionContext } from '@jupyterlab/apputils';
import type { IOutput } from '@jupyterlab/nbformat';
import type { Notebook, NotebookPanel } from '@jupyterlab/notebook';
import { NotebookModel } from '@jupyterlab/notebook';
import { NBTestUtils } from '@jupyterlab/notebook/lib/testutils';
import { Signal } from '@lumino/signaling';

/** A code cell by its id. */
export interface ICellContent {
  id: string;
  source?: string;
  outputs?: IOutput[];
  metadata?: Record<string, unknown>;
  count?: number;
}

/**
 * Silence warnings about cells that are built before they belong to a document, as
 * JupyterLab 4.2 and its Yjs build them.
 */
export function silenceYjs(): void {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
}

/** A notebook model with these code cells. */
export function makeModel(cells: ICellContent[]): NotebookModel {
  const model = new NotebookModel({ disableDocumentWideUndoRedo: true });
  const content = cells.map(({ id, source, outputs, metadata, count }) => ({
    id,
    cell_type: 'code',
    source: source ?? '',
    metadata: metadata ?? {},
    outputs: outputs ?? [],
    execution_count: count ?? null
  }));
  model.fromJSON({
    cells: content,
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5
  } as Parameters<NotebookModel['fromJSON']>[0]);
  for (const cell of model.cells) {
    cell.sharedModel.clearUndoHistory();
  }
  return model;
}

/** The parts of a notebook panel used by the code under test, with a real notebook. */
export function makePanel(cells: ICellContent[]): NotebookPanel {
  const content: Notebook = NBTestUtils.createNotebook();
  const model = makeModel(cells);
  content.model = model;
  const panel = {
    content,
    model,
    context: {
      path: 'work/train.ipynb',
      sessionContext: {} as ISessionContext
    },
    disposed: new Signal<unknown, void>({})
  };
  return panel as unknown as NotebookPanel;
}
