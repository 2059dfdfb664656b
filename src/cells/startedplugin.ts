import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { Cell } from '@jupyterlab/cells';
import {
  INotebookTracker,
  NotebookActions,
  type NotebookPanel
} from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { loadSettings } from '../settings';
import { IGpuMemory } from '../tokens';

/**
 * Has cells looked at that have run on this page: a process that one started may
 * have run out of GPU memory, which its kernel does not see.
 */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:started',
  description:
    'Explains why a training that a shell command started ran out of GPU memory.',
  autoStart: true,
  requires: [INotebookTracker, IGpuMemory],
  optional: [ISettingRegistry],
  activate: async (
    _,
    notebooks: INotebookTracker,
    memory: IGpuMemory,
    registry: ISettingRegistry | null
  ): Promise<void> => {
    const settings = await loadSettings(registry);
    const look = async (panel: NotebookPanel, cell: Cell): Promise<void> => {
      const { explainStarted } = await import('./started');
      await explainStarted(panel, cell, memory);
    };
    NotebookActions.executed.connect((_, { cell, notebook }) => {
      const panel = notebooks.find(({ content }) => content === notebook);
      if (panel && settings.current.markCells) {
        void look(panel, cell);
      }
    });
  }
};

export default plugin;
