import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IDryRunTry } from '../protocol';
import type { ReportModel } from '../renderer/model';
import type { IReportOffer } from '../renderer/offer';
import { type ITried, notTried } from '../report/state';
import { words } from '../text/messages';
import { cellsOf, runDry } from './begin';
import { type DryRun, dryRunOf } from './dryrun';
import { bestOf, describeDoing } from './words';

/** Buttons that try the edits of a report on a simulated GPU, and stop that. */
export const OFFERS: readonly IReportOffer[] = [
  {
    id: 'try-first',
    rank: 100,
    place: 'edits',
    label: ({ state, trans }) => {
      if (state.tried?.isGoing) {
        return null;
      }
      return state.tried ? trans.__('Try again') : trans.__('Try these first');
    },
    press: async ({ desk, site }) => {
      if (!desk || !site) {
        return null;
      }
      const { model, trans } = desk;
      const { cellId, panel } = site;
      follow(model, trans);
      const cells = cellsOf(panel, indexOf(panel, cellId), trans);
      const of = { gpu: '', report_id: model.reportId };
      const why = await runDry(model.memory, panel, { ...cells, ...of }, trans);
      if (why !== null) {
        model.setTried(notTried(why));
      }
      return null;
    }
  },
  {
    id: 'end-tries',
    rank: 110,
    place: 'edits',
    label: ({ state, trans }) =>
      state.tried?.isGoing ? trans.__('Cancel') : null,
    press: async ({ desk }) => {
      await (desk && dryRunOf(desk.model.memory).cancel());
      return null;
    }
  }
];

/** The reports whose edits were tried. */
const followed = new WeakSet<ReportModel>();

/** Show on a report the results that its kernel's dry run has on its edits. */
function follow(model: ReportModel, trans: TranslationBundle): void {
  if (followed.has(model)) {
    return;
  }
  followed.add(model);
  const dryRun = dryRunOf(model.memory);
  // The model as receiver: its disposal ends the connection.
  dryRun.changed.connect(() => {
    model.setTried(triedOf(dryRun, model.reportId, trans));
  }, model);
}

/** Results of trying the edits of a report, the best for each. */
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

/** Note on all edits, once they have been tried. */
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
        'On a simulated GPU of this size these cells fit unchanged in a fresh process: earlier runs hold memory here.'
      )
    : found.said.map(sentence).join(' ');
}

function indexOf(panel: NotebookPanel, cellId: string | null): number | null {
  const { widgets } = panel.content;
  const index = widgets.findIndex(({ model }) => model.id === cellId);
  return index < 0 ? null : index;
}
