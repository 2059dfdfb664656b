import type { TranslationBundle } from '@jupyterlab/translation';

import { insertBelow } from '../actions/insertion';
import { Failed } from '../kernel/problem';
import { finish } from '../kernel/work';
import { words } from '../messages';
import type { ISite } from './controller';
import type { ReportModel } from './model';

/**
 * Save the training that failed to a file of the kernel's, and insert the cell
 * that goes on from it below the failed one. That cell is not run.
 *
 * Rejects with a sentence where nothing was saved.
 */
export async function rescue(
  model: ReportModel,
  remedyId: string,
  { panel, cellId }: ISite,
  trans: TranslationBundle
): Promise<void> {
  model.setRemedy(remedyId, { status: 'running', text: '' });
  const { code, message } = await finish(
    model.memory,
    'rescue',
    { report_id: model.reportId },
    (event, { id }) =>
      event.type === 'rescue' && event.request_id === id ? event : null
  );
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
  model.setRemedy(remedyId, {
    status: 'inserted',
    text: `${words(trans).sentence(message)} ${next}`
  });
  if (inserted !== null) {
    await panel.content.scrollToItem(index + 1);
  }
}
