import { type Cell, CodeCell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IOutputAreaModel, OutputArea } from '@jupyterlab/outputarea';

import { memoryOf } from '../kernel/follower';
import { type IGpuMemory, MIME_TYPE } from '../tokens';
import { printedError } from './printed';

/** Characters at the end of what a cell printed that are looked at. */
const MAX_LENGTH = 2 ** 16;

/** A line, or a cell, that is the shell's. */
const SHELL = /^[ \t]*!|^\s*%%(?:bash|sh|script)\b/m;

/**
 * Have a card shown for a cell that has just run, where what it printed is that a
 * process it started ran out of GPU memory. Never rejects.
 */
export async function explainStarted(
  panel: NotebookPanel,
  cell: Cell,
  memory: IGpuMemory
): Promise<void> {
  const found = memoryOf(panel, memory);
  if (
    !(cell instanceof CodeCell) ||
    cell.isDisposed ||
    found?.state.phase !== 'live' ||
    !SHELL.test(cell.model.sharedModel.getSource())
  ) {
    return;
  }
  const text = printed(cell.model.outputs);
  const error = text === null ? null : printedError(text);
  // There is none where the cell was run by another page.
  const { future } = cell.outputArea as Partial<OutputArea>;
  const parent_id = future?.msg.header.msg_id;
  if (error !== null && parent_id !== undefined) {
    // Whether there is a card is the helper's to say; nobody waits for it.
    await found
      .request('explain', { cell_id: cell.model.id, parent_id, ...error })
      .catch(() => undefined);
  }
}

/** The end of what was printed; `null` where the cell has its card. */
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
