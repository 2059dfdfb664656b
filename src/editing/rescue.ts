import type { TranslationBundle } from '@jupyterlab/translation';

import { Failed } from '../kernel/problem';
import { Task } from '../kernel/task';
import { insertBelow } from '../lab/insertion';
import { noticeOf } from '../lab/notice';
import type { IRescue } from '../protocol';
import { startsWhen } from '../release/queue';
import type { ReportModel } from '../renderer/model';
import type { ISite } from '../renderer/place';
import { words } from '../text/messages';

/**
 * Save the state of the training that failed to a file of the kernel's, and insert the
 * cell that resumes it below the failed one. That cell is not run.
 *
 * Rejects with a sentence if nothing was saved.
 */
export async function rescue(
  model: ReportModel,
  remedyId: string,
  site: ISite,
  trans: TranslationBundle
): Promise<void> {
  const task = saving(model);
  const rescued = await model.waitFor(remedyId, task, nameSaving(trans));
  if (rescued.code === null && task.isCancelled) {
    const text = words(trans).sentence(rescued.message);
    model.setRemedy(remedyId, { status: 'cancelled', text });
    return;
  }
  const { index, text } = insertLoading(rescued, site, trans);
  model.setRemedy(remedyId, { status: 'inserted', text });
  if (index !== null) {
    await site.panel.content.scrollToItem(index);
  }
}

/**
 * Save without a remedy, with progress in a notification. Resolves to the result, as a
 * sentence.
 */
export async function save(
  model: ReportModel,
  site: ISite,
  trans: TranslationBundle
): Promise<string> {
  const task = saving(model);
  const sentences = {
    going: nameSaving(trans),
    waiting: () => startsWhen(model.memory.state, trans)
  };
  const notice = noticeOf(task, sentences, trans);
  try {
    return insertLoading(await task.ended, site, trans).text;
  } finally {
    notice.dismiss();
  }
}

function saving({ memory, reportId }: ReportModel): Task<'rescue'> {
  return new Task(memory, 'rescue', { report_id: reportId });
}

function nameSaving(trans: TranslationBundle): string {
  return trans.__('Saving model and optimizer state…');
}

/** Returns the result, as a sentence that says where the cell is. */
function insertLoading(
  { code, message }: IRescue,
  { panel, cellId }: ISite,
  trans: TranslationBundle
): { text: string; index: number | null } {
  if (code === null) {
    throw new Failed(message);
  }
  const { widgets } = panel.content;
  const index = widgets.findIndex(({ model }) => model.id === cellId);
  const inserted = index < 0 ? null : insertBelow(panel, index, code);
  const next =
    inserted === null
      ? trans.__('No cell could be inserted.')
      : trans.__(
          'The cell below loads it after a restart; it has not been run.'
        );
  return {
    text: `${words(trans).sentence(message)} ${next}`,
    index: inserted === null ? null : index + 1
  };
}
