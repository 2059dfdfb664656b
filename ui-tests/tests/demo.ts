import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { INotebookContent } from '@jupyterlab/nbformat';

/** The demo as a person opens it. */
export const DEMO = JSON.parse(
  readFileSync(path.join(__dirname, '..', '..', 'demo', 'demo.ipynb'), 'utf8')
) as INotebookContent;

/** Where a cell of the demo stands, by its id. */
export function at(id: string): number {
  return DEMO.cells.findIndex(cell => cell.id === id);
}
