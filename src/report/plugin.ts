import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ISessionContextDialogs } from '@jupyterlab/apputils';
import { IConsoleTracker } from '@jupyterlab/console';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IReleaseSessions, type ReleaseSessions } from '../release/sessions';
import { IGpuMemory } from '../tokens';
// The first notebook may be drawn right after the start.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { createFactory } from './factory';

/** Above `text/html`, which every report carries for other readers. */
const RANK = 10;

/**
 * Draws the out-of-memory card of a failed cell.
 */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:report',
  description: 'Shows why a cell ran out of GPU memory and what helps.',
  autoStart: true,
  requires: [IRenderMimeRegistry, IGpuMemory, IReleaseSessions],
  optional: [
    INotebookTracker,
    IConsoleTracker,
    ISessionContextDialogs,
    ITranslator
  ],
  activate: (
    _: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    memory: IGpuMemory,
    sessions: ReleaseSessions,
    notebooks: INotebookTracker | null,
    consoles: IConsoleTracker | null,
    dialogs: ISessionContextDialogs | null,
    translator: ITranslator | null
  ): void => {
    const factory = createFactory({
      memory,
      sessions,
      notebooks,
      consoles,
      dialogs,
      translator: translator ?? nullTranslator
    });
    rendermime.addFactory(factory, RANK);
  }
};

export default plugin;
