import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { IReportOffers } from '../report/offer';

/**
 * The buttons of reports that make an edit and run its cells.
 */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:fit',
  description: 'Applies an edit and runs the cell again, until it fits.',
  autoStart: true,
  requires: [IReportOffers],
  activate: (_, offers: IReportOffers): void => {
    offers.add(async () => (await import('./offers')).OFFERS);
  }
};

export default plugin;
