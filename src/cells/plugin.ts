import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { loadSettings } from '../settings';

/**
 * Marks the cells that ran out of GPU memory.
 */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:cells',
  description: 'Marks the cells that ran out of GPU memory.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ISettingRegistry],
  activate: async (
    _,
    notebooks: INotebookTracker,
    registry: ISettingRegistry | null
  ): Promise<void> => {
    const settings = await loadSettings(registry);
    const follow = async (panel: NotebookPanel): Promise<void> => {
      const { Marker } = await import('./marker');
      if (!panel.isDisposed) {
        new Marker(panel, settings);
      }
    };
    notebooks.forEach(panel => void follow(panel));
    notebooks.widgetAdded.connect((_, panel) => void follow(panel));
  }
};

export default plugin;
