import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  ISessionContextDialogs,
  SessionContextDialogs
} from '@jupyterlab/apputils';
import { IConsoleTracker } from '@jupyterlab/console';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { Announcer } from '../components/announcer';
import { Files } from '../editing/files';
import { IReleaseSessions, type ReleaseSessions } from '../release/sessions';
import { words } from '../text/messages';
import { IGpuMemory, MIME_TYPE } from '../tokens';
import { Places } from './place';
// The first notebook may be drawn right after the start.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { ReportRenderer } from './renderer';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- see above
import { Reports } from './reports';

/** Above `text/html`, which every report carries for other readers. */
const RANK = 10;

/**
 * Draws the out-of-memory card of a failed cell, wherever outputs are shown. All
 * cards share what is known of the reports, for as long as the page lives.
 */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:report',
  description: 'Shows why a cell ran out of GPU memory and what helps.',
  autoStart: true,
  requires: [IRenderMimeRegistry, IGpuMemory, IReleaseSessions],
  optional: [
    INotebookTracker,
    IConsoleTracker,
    IDocumentManager,
    ISessionContextDialogs,
    ITranslator
  ],
  activate: (
    app: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    memory: IGpuMemory,
    sessions: ReleaseSessions,
    notebooks: INotebookTracker | null,
    consoles: IConsoleTracker | null,
    documents: IDocumentManager | null,
    dialogs: ISessionContextDialogs | null,
    language: ITranslator | null
  ): void => {
    const translator = language ?? nullTranslator;
    const trans = translator.load('gpu-headroom');
    const { contents } = app.serviceManager;
    const options = {
      memory,
      places: new Places(notebooks, consoles),
      reports: new Reports(
        sessions,
        new Files(contents, documents, trans),
        translator
      ),
      announcer: new Announcer(),
      dialogs: dialogs ?? new SessionContextDialogs({ translator }),
      words: words(trans)
    };
    const factory = {
      // All of it is text: it is also shown in notebooks that are not trusted.
      safe: true,
      mimeTypes: [MIME_TYPE],
      createRenderer: () => new ReportRenderer(options)
    };
    rendermime.addFactory(factory, RANK);
  }
};

export default plugin;
