import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import { explain } from '../kernel/problem';
import { Task } from '../kernel/task';
import { insertBelow } from '../lab/insertion';
import { noticeOf } from '../lab/notice';
import { startsWhen } from '../release/queue';
import { words } from '../text/messages';
import type { IKernelMemory } from '../tokens';

/**
 * Insert a cell with visible code that frees memory, below the active cell.
 *
 * The cell is not run. Never rejects: a failure is shown in a notification.
 *
 * @param items - ids of a plan; `null`: the safe set
 */
export async function insertCleanupCell(
  memory: IKernelMemory,
  panel: NotebookPanel,
  items: string[] | null,
  trans: TranslationBundle
): Promise<void> {
  const task = new Task(memory, 'cleanup', { items });
  const sentences = {
    going: trans.__('Looking for what a clean-up cell can free…'),
    waiting: () => `${trans.__('Queued.')} ${startsWhen(memory.state, trans)}`
  };
  const notice = noticeOf(task, sentences, trans);
  try {
    const { code, message } = await task.ended;
    if (code === null) {
      notice.finish(words(trans).sentence(message), 'info');
      return;
    }
    const { activeCellIndex } = panel.content;
    if (insertBelow(panel, activeCellIndex, code) === null) {
      throw new Error(trans.__('The notebook is read-only.'));
    }
    // The inserted cell is the result.
    notice.dismiss();
  } catch (reason) {
    const why = explain(reason, trans);
    notice.finish(trans.__('No cell was inserted: %1', why), 'error');
  }
}
