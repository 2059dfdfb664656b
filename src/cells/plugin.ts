import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { Cell } from '@jupyterlab/cells';
import {
  INotebookTracker,
  NotebookActions,
  type NotebookPanel
} from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IReleaseSessions, type ReleaseSessions } from '../release/sessions';
import { loadSettings } from '../settings';
import { CommandIDs, IGpuMemory } from '../tokens';

/**
 * Marks the cells that ran out of GPU memory, and shows below each cell its effect on
 * the memory. Examines cells that have run on this page: a process that one started may
 * have run out of memory, which is invisible to its kernel.
 */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:cells',
  description: 'Shows at each cell what it did to the GPU memory.',
  autoStart: true,
  requires: [INotebookTracker, IGpuMemory],
  optional: [ISettingRegistry, ITranslator, IReleaseSessions],
  activate: async (
    app,
    notebooks: INotebookTracker,
    memory: IGpuMemory,
    registry: ISettingRegistry | null,
    translator: ITranslator | null,
    sessions: ReleaseSessions | null
  ): Promise<void> => {
    const { commands } = app;
    const settings = await loadSettings(registry);
    const trans = (translator ?? nullTranslator).load('gpu-headroom');
    const open = (): void => {
      if (commands.hasCommand(CommandIDs.showPanel)) {
        void commands.execute(CommandIDs.showPanel);
      }
    };
    const follow = async (panel: NotebookPanel): Promise<void> => {
      const [{ Badges }, { Marker }] = await Promise.all([
        import('./badges'),
        import('./marker')
      ]);
      if (!panel.isDisposed) {
        new Badges({ panel, memory, settings, sessions, trans, open });
        new Marker(panel, settings);
      }
    };
    const look = async (panel: NotebookPanel, cell: Cell): Promise<void> => {
      const { explainStarted } = await import('./started');
      await explainStarted(panel, cell, memory);
    };
    notebooks.forEach(panel => void follow(panel));
    notebooks.widgetAdded.connect((_, panel) => void follow(panel));
    NotebookActions.executed.connect((_, { cell, notebook }) => {
      const panel = notebooks.find(({ content }) => content === notebook);
      if (panel && settings.current.markCells) {
        void look(panel, cell);
      }
    });
  }
};

export default plugin;
