import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IReportOffers } from '../renderer/offer';

/** The buttons of reports that change the notebook, and run what was edited. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:editing',
  description: 'Applies an edit and runs the cell again, until it fits.',
  autoStart: true,
  requires: [IReportOffers],
  optional: [IDocumentManager, ITranslator],
  activate: (
    app,
    offers: IReportOffers,
    documents: IDocumentManager | null,
    translator: ITranslator | null
  ): void => {
    const { contents } = app.serviceManager;
    const trans = (translator ?? nullTranslator).load('gpu-headroom');
    offers.add(async () =>
      (await import('./offers')).offersOf(contents, documents, trans)
    );
  }
};

export default plugin;
