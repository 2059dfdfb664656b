import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { loadSettings } from '../settings';
import { IGpuMemory } from '../tokens';

/** How long the notice stays on screen, in milliseconds. */
const AUTO_CLOSE = 20_000;

/**
 * Remembers on which GPU a notebook ran, and says when this one is too small.
 */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:last-ran',
  description: 'Says when a notebook last ran on a larger GPU.',
  autoStart: true,
  requires: [INotebookTracker, IGpuMemory],
  optional: [ISettingRegistry, ITranslator],
  activate: async (
    _,
    notebooks: INotebookTracker,
    memory: IGpuMemory,
    registry: ISettingRegistry | null,
    translator: ITranslator | null
  ): Promise<void> => {
    const settings = await loadSettings(registry);
    const trans = (translator ?? nullTranslator).load('gpu-headroom');
    const tell = (sentence: string): void => {
      Notification.info(sentence, { autoClose: AUTO_CLOSE });
    };
    const follow = async (panel: NotebookPanel): Promise<void> => {
      const { Follower } = await import('./follower');
      await panel.context.ready;
      if (!panel.isDisposed) {
        new Follower({ panel, memory, settings, trans, tell });
      }
    };
    notebooks.forEach(panel => void follow(panel));
    notebooks.widgetAdded.connect((_sender, panel) => void follow(panel));
  }
};

export default plugin;
