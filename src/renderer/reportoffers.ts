import { Clipboard } from '@jupyterlab/apputils';

import { runCells } from '../lab/run';
import { suggestedCode } from '../report/suggestion';
import type { IShownReport, IWholeOffer } from './offer';
import { sourceAround } from './place';

/** Handlers of the buttons that the report has beside remedies on each page, by id. */
export const REPORT_BUTTONS: Readonly<
  Record<string, (shown: IShownReport, remedyId: string) => unknown>
> = {
  cancel: ({ desk }, remedyId) => desk?.model.cancel(remedyId),

  'copy-code': ({ desk, report, words }, remedyId) => {
    const remedy = report.remedies.find(({ id }) => id === remedyId);
    const code = remedy && suggestedCode(remedy);
    if (code) {
      Clipboard.copyToSystem(code);
      const text = words.trans.__('Copied.');
      desk?.model.setRemedy(remedyId, { status: 'copied', text });
    }
  },

  release: ({ desk }, remedyId) =>
    desk?.model.act(remedyId, () => desk.model.free(remedyId)),

  restart: ({ restart }) => restart()
};

/** Copy the report as Markdown. */
const COPY: IWholeOffer = {
  id: 'copy',
  rank: 10,
  place: 'details',
  label: ({ trans }) => trans.__('Copy report'),
  press: async ({ report, site, words }) => {
    const { markdownOf } = await import('./markdown');
    Clipboard.copyToSystem(markdownOf(words, report, sourceAround(site)));
    return words.trans.__(
      'Copied as Markdown, with the lines around the failing line and no data.'
    );
  }
};

/** Copy the data that the causes were derived from, for an issue. */
const COPY_EVIDENCE: IWholeOffer = {
  id: 'copy-evidence',
  rank: 20,
  place: 'details',
  label: ({ trans }) => trans.__('Report a wrong diagnosis'),
  press: async ({ report, words }) => {
    const { evidenceText } = await import('./evidence');
    Clipboard.copyToSystem(evidenceText(report));
    return words.trans.__(
      'Copied, without your code and names. Paste it into an issue of GPU Headroom and say what the cause was.'
    );
  }
};

/** Run the failed cell again. */
const RERUN: IWholeOffer = {
  id: 'rerun',
  rank: 70,
  place: 'next',
  label: ({ trans }) => trans.__('Re-run cell'),
  press: async ({ desk, site }) => {
    if (desk && site?.cellId) {
      await runCells(site.panel, [site.cellId], desk.translator);
    }
    return null;
  }
};

/** Buttons of a report without those of wings. */
export const OFFERS: readonly IWholeOffer[] = [COPY, COPY_EVIDENCE, RERUN];
