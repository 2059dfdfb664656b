import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { Contents } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IReportOffer } from '../renderer/offer';
import { cellOffers } from './celloffers';
import { Files } from './files';
import { fitOffers } from './fitoffers';
import { fixingsWith } from './fixing';

/** The buttons of reports that change a notebook, and scripts beside it. */
export function offersOf(
  contents: Contents.IManager,
  documents: IDocumentManager | null,
  trans: TranslationBundle
): readonly IReportOffer[] {
  const fixingOf = fixingsWith(new Files(contents, documents, trans));
  return [...cellOffers(fixingOf), ...fitOffers(fixingOf)];
}
