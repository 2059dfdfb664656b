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
import type { Cards } from './cards';
import { IReportOffers } from './offer';
import { ReportOutput } from './output';
import { Places } from './place';

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
    let cards: Cards | null = null;
    const load = async () => {
      const [{ Cards }] = await Promise.all([import('./cards'), offers.load()]);
      cards ??= new Cards(options);
      return cards.create();
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
