import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IReleaseSessions, type ReleaseSessions } from '../release/sessions';
import { loadSettings } from '../settings';
import { CommandIDs, IGpuMemory } from '../tokens';

/**
 * Shows below each cell what it did to the GPU memory.
 */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:badges',
  description: 'Shows below each cell what it did to the GPU memory.',
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
      const { Badges } = await import('./badges');
      if (!panel.isDisposed) {
        new Badges({ panel, memory, settings, sessions, trans, open });
      }
    };
    notebooks.forEach(panel => void follow(panel));
    notebooks.widgetAdded.connect((_, panel) => void follow(panel));
  }
};

export default plugin;
