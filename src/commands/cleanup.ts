import type { NotebookPanel } from '@jupyterlab/notebook';

import { insertBelow } from '../editing/insertion';
import { Failed } from '../kernel/problem';
import { perform } from '../kernel/work';
import type { IKernelMemory } from '../tokens';

/**
 * Insert a cell with visible code that frees, below the active cell.
 *
 * The cell is not run. Rejects with a sentence when the helper cannot write it.
 *
 * @param items - ids of a plan; `null`: the safe set
 */
export async function insertCleanupCell(
  memory: IKernelMemory,
  panel: NotebookPanel,
  items: string[] | null
): Promise<void> {
  const { code, message } = await perform(memory, 'cleanup', { items });
  if (code === null) {
    throw new Failed(message);
  }
  insertBelow(panel, panel.content.activeCellIndex, code);
}
