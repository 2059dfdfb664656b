import type { TranslationBundle } from '@jupyterlab/translation';

import { insertBelow } from '../editing/insertion';
import { Failed } from '../kernel/problem';
import { perform } from '../kernel/work';
import { words } from '../text/messages';
import type { ReportModel } from './model';
import type { ISite } from './place';

/**
 * Save the training that failed to a file of the kernel's, and insert the cell
 * that goes on from it below the failed one. That cell is not run.
 *
 * Rejects with a sentence where nothing was saved.
 */
export async function rescue(
  model: ReportModel,
  remedyId: string,
  site: ISite,
  trans: TranslationBundle
): Promise<void> {
  model.setRemedy(remedyId, { status: 'running', text: '' });
  const { index, text } = await save(model, site, trans);
  model.setRemedy(remedyId, { status: 'inserted', text });
  if (index !== null) {
    await site.panel.content.scrollToItem(index);
  }
}

/**
 * The same without a remedy; resolves to what became of it, as a sentence, and to
 * where the cell stands.
 */
export async function save(
  { memory, reportId }: ReportModel,
  { panel, cellId }: ISite,
  trans: TranslationBundle
): Promise<{ text: string; index: number | null }> {
  const { code, message } = await perform(memory, 'rescue', {
    report_id: reportId
  });
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
