import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ITried } from '../card/state';
import type { DryRun } from '../dryrun/dryrun';
import { bestOf, describeDoing } from '../dryrun/words';
import type { IDryRunTry } from '../protocol';
import { words } from '../text/messages';
import type { ISite } from './place';
import type { ReportModel } from './model';

/** What trying the edits of a report has shown, the best for each. */
export function triedOf(
  dryRun: DryRun,
  reportId: string,
  trans: TranslationBundle
): ITried | null {
  const { isGoing, step } = dryRun;
  if (dryRun.reportId !== reportId || !dryRun.isShown) {
    return null;
  }
  const byRemedy = bestOf(step?.found?.tries ?? []);
  const text = describeDoing(dryRun, trans) || summary(dryRun, byRemedy, trans);
  return { isGoing, byRemedy, text };
}

/** What is to be known of all of them, once they have been tried. */
function summary(
  { step }: DryRun,
  byRemedy: Readonly<Record<string, IDryRunTry>>,
  trans: TranslationBundle
): string {
  const found = step?.found;
  const { sentence } = words(trans);
  if (!found) {
    return '';
  }
  if (Object.keys(byRemedy).length > 0) {
    return trans.__(
      'The edits were tried on a simulated GPU of this size, in a fresh process.'
    );
  }
  return found.fits[0]?.fits
    ? trans.__(
        'On a simulated GPU of this size these cells fit as they are, in a fresh process: what ran before holds memory here.'
      )
    : found.said.map(sentence).join(' ');
}

/** Try the edits of a report, on the cells up to the failed one. */
export async function tryFirst(
  model: ReportModel,
  { cellId, panel }: ISite,
  trans: TranslationBundle
): Promise<string | null> {
  const { cellsOf, runDry } = await import('../dryrun/begin');
  const cells = cellsOf(panel, indexOf(panel, cellId), trans);
  return runDry(
    model.memory,
    panel,
    { ...cells, gpu: '', report_id: model.reportId },
    trans
  );
}

function indexOf(panel: NotebookPanel, cellId: string | null): number | null {
  const { widgets } = panel.content;
  const index = widgets.findIndex(({ model }) => model.id === cellId);
  return index < 0 ? null : index;
}
