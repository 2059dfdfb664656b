import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

// The panel's model needs them from the start.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { FreeingServices } from '../freeing/services';
import { gpuIcon } from '../icons';
import { IGpuMemory, IOtherKernels } from '../tokens';
// The side bar needs the panel, and its model, before the layout is restored.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { PanelModel } from './model';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- see above
import { GpuPanel } from './panel';

namespace CommandIDs {
  export const showPanel = 'gpu-headroom:show-panel';
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
  requires: [IGpuMemory],
  optional: [IOtherKernels, ILayoutRestorer, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    memory: IGpuMemory,
    others: IOtherKernels | null,
    restorer: ILayoutRestorer | null,
    translator: ITranslator | null
  ): void => {
    const { commands, shell } = app;
    const language = translator ?? nullTranslator;
    const trans = language.load('gpu-headroom');
    const documentName = (): string =>
      memory.hasDocument ? (shell.currentWidget?.title.label ?? '') : '';
    const services = new FreeingServices(commands, trans);
    const panel = new GpuPanel({
      model: new PanelModel({ memory, others, services, trans, documentName }),
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
