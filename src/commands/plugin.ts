import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IReleaseSessions, type ReleaseSessions } from '../release/sessions';
import { CommandIDs, IGpuMemory } from '../tokens';
// Menus, toolbars and the palette look for the commands at once.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { addCommands } from './commands';

/**
 * The commands; menus and toolbars are declared in the schema.
 */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:actions',
  description: 'Commands that free GPU memory.',
  autoStart: true,
  requires: [IGpuMemory, IReleaseSessions],
  optional: [INotebookTracker, ICommandPalette, ITranslator],
  activate: (
    app,
    memory: IGpuMemory,
    sessions: ReleaseSessions,
    notebooks: INotebookTracker | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('gpu-headroom');
    addCommands({ commands: app.commands, memory, notebooks, sessions, trans });
    const category = trans.__('GPU Headroom');
    Object.values(CommandIDs).forEach(command =>
      palette?.addItem({ command, category })
    );
  }
};

export default plugin;
