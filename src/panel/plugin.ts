import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { gpuIcon } from '../icons';
import { idsOf } from '../release/items';
import { IReleaseSessions, type ReleaseSessions } from '../release/sessions';
import { IGpuMemory, IOtherKernels } from '../tokens';
// The side bar needs the panel, and its model, before the layout is restored.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { PanelModel } from './model';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- see above
import { GpuPanel } from './panel';

namespace CommandIDs {
  export const showPanel = 'gpu-headroom:show-panel';
  /** Of the `actions` plugin. */
  export const insertCleanupCell = 'gpu-headroom:insert-cleanup-cell';
  /** Of JupyterLab. */
  export const openSettings = 'settingeditor:open';
}

/** Below the property inspector, which comes first. */
const RANK = 850;

/**
 * The panel in the right side bar.
 */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:panel',
  description: 'Shows in the side bar what holds the GPU memory of a kernel.',
  autoStart: true,
  requires: [IGpuMemory, IReleaseSessions],
  optional: [IOtherKernels, ILayoutRestorer, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    memory: IGpuMemory,
    sessions: ReleaseSessions,
    others: IOtherKernels | null,
    restorer: ILayoutRestorer | null,
    translator: ITranslator | null
  ): void => {
    const { commands, shell } = app;
    const language = translator ?? nullTranslator;
    const trans = language.load('gpu-headroom');
    const documentName = (): string =>
      memory.hasDocument ? (shell.currentWidget?.title.label ?? '') : '';
    const insertCell = (): PanelModel.InsertCell | null => {
      const id = CommandIDs.insertCleanupCell;
      return commands.hasCommand(id) && commands.isEnabled(id)
        ? ({ kernel }, items) =>
            void commands.execute(id, {
              items: idsOf(items),
              kernelId: kernel.id
            })
        : null;
    };
    const panel = new GpuPanel({
      model: new PanelModel({
        memory,
        sessions,
        others,
        insertCell,
        trans,
        documentName
      }),
      onSettings: () => {
        const query = trans.__('GPU Headroom');
        void commands.execute(CommandIDs.openSettings, { query });
      },
      translator: language
    });
    panel.id = 'gpu-headroom-panel';
    panel.title.icon = gpuIcon;
    panel.title.caption = trans.__('GPU Headroom');
    shell.add(panel, 'right', { rank: RANK, type: 'GPU Headroom' });
    restorer?.add(panel, panel.id);
    commands.addCommand(CommandIDs.showPanel, {
      label: trans.__('Show GPU Panel'),
      caption: trans.__('Show in the side bar what holds GPU memory.'),
      icon: gpuIcon,
      describedBy: { args: { type: 'object', additionalProperties: false } },
      execute: () => {
        shell.activateById(panel.id);
      }
    });
  }
};

export default plugin;
