import { type Cell, CodeCell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IOutputAreaModel, OutputArea } from '@jupyterlab/outputarea';

import { memoryOf } from '../kernel/follower';
import { type IGpuMemory, MIME_TYPE } from '../tokens';

/**
 * Maximum number of characters sent from the end of a cell's printed output; the helper
 * reads that many completely.
 */
const MAX_LENGTH = 2 ** 14;

/** A line, or a cell, that the shell runs. */
const SHELL = /^[ \t]*!|^\s*%%(?:bash|sh|script)\b/m;

/**
 * Send the helper the printed output of a cell that has just run a shell command: a
 * process may have run out of GPU memory, for which the helper then shows the report.
 * Never rejects.
 */
export async function explainStarted(
  panel: NotebookPanel,
  cell: Cell,
  memory: IGpuMemory
): Promise<void> {
  const kernelMemory = memoryOf(panel, memory);
  if (
    !(cell instanceof CodeCell) ||
    cell.isDisposed ||
    kernelMemory?.state.phase !== 'live' ||
    !SHELL.test(cell.model.sharedModel.getSource())
  ) {
    return;
  }
  const text = printed(cell.model.outputs);
  // There is none if the cell was run by another page.
  const { future } = cell.outputArea as Partial<OutputArea>;
  const parent_id = future?.msg.header.msg_id;
  if (text && parent_id !== undefined) {
    await kernelMemory
      .request('explain', { cell_id: cell.model.id, parent_id, printed: text })
      .catch(() => undefined);
  }
}

/** The end of the printed output; `null` if the cell has its report. */
function printed(outputs: IOutputAreaModel): string | null {
  let text = '';
  for (let index = outputs.length - 1; index >= 0; index--) {
    const output = outputs.get(index);
    if (output.type === 'stream') {
      const { text: own } = output.toJSON() as { text: string | string[] };
      const all = typeof own === 'string' ? own : own.join('');
      text = (all.slice(-MAX_LENGTH) + text).slice(-MAX_LENGTH);
    } else if (output.type !== 'error' && MIME_TYPE in output.data) {
      return null;
    }
  }
  return text;
}
