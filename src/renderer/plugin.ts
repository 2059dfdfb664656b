import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import {
  ISessionContextDialogs,
  SessionContextDialogs
} from '@jupyterlab/apputils';
import { IConsoleTracker } from '@jupyterlab/console';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { Registry } from '../registry';
import { IReleaseSessions, type ReleaseSessions } from '../release/sessions';
import { IGpuMemory, MIME_TYPE } from '../tokens';
import { IReportOffers } from './offer';
import { ReportOutput } from './output';
import { Places } from './place';
import type { Reports } from './reports';

/** Above `text/html`, which every report includes for other readers. */
const RANK = 10;

/** Renders the out-of-memory report of a failed cell, wherever outputs are shown. */
const plugin: JupyterFrontEndPlugin<IReportOffers> = {
  id: 'gpu-headroom:report',
  description: 'Shows why a cell ran out of GPU memory and what helps.',
  autoStart: true,
  provides: IReportOffers,
  requires: [IRenderMimeRegistry, IGpuMemory, IReleaseSessions],
  optional: [
    INotebookTracker,
    IConsoleTracker,
    ISessionContextDialogs,
    ITranslator
  ],
  activate: (
    _,
    rendermime: IRenderMimeRegistry,
    memory: IGpuMemory,
    sessions: ReleaseSessions,
    notebooks: INotebookTracker | null,
    consoles: IConsoleTracker | null,
    dialogs: ISessionContextDialogs | null,
    language: ITranslator | null
  ): IReportOffers => {
    const translator = language ?? nullTranslator;
    const offers: IReportOffers = new Registry();
    const options = {
      memory,
      sessions,
      places: new Places(notebooks, consoles),
      dialogs: dialogs ?? new SessionContextDialogs({ translator }),
      translator,
      offers
    };
    let reports: Reports | null = null;
    const load = async () => {
      const [module] = await Promise.all([import('./reports'), offers.load()]);
      reports ??= new module.Reports(options);
      return reports.create();
    };
    const factory = {
      // The report contains only text, so it is also shown in untrusted notebooks.
      safe: true,
      mimeTypes: [MIME_TYPE],
      createRenderer: () => new ReportOutput(load)
    };
    rendermime.addFactory(factory, RANK);
    return offers;
  }
};

export default plugin;
