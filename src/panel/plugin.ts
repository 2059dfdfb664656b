import {
  ILayoutRestorer,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { idsOf } from '../memory/items';
import { IReleaseSessions, type ReleaseSessions } from '../release/sessions';
import { CommandIDs, IGpuMemory } from '../tokens';
import { gpuIcon } from './icons';
import { type InsertCell, ISections, PanelModel } from './model';
// The side bar needs the panel before the layout is restored.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { GpuPanel } from './panel';

/** Command of JupyterLab. */
const OPEN_SETTINGS = 'settingeditor:open';

const SHOW_ARGS = {
  type: 'object',
  properties: {
    section: {
      type: 'string',
      description: 'Section to open and scroll to, by its id'
    }
  },
  additionalProperties: false
};

/** Below the property inspector, which comes first. */
const RANK = 850;

/**
 * The panel in the right side bar.
 */
const plugin: JupyterFrontEndPlugin<ISections> = {
  id: 'gpu-headroom:panel',
  description: 'Shows in the side bar what holds the GPU memory of a kernel.',
  autoStart: true,
  requires: [IGpuMemory, IReleaseSessions],
  optional: [ILayoutRestorer, ITranslator],
  provides: ISections,
  activate: (
    app,
    memory: IGpuMemory,
    sessions: ReleaseSessions,
    restorer: ILayoutRestorer | null,
    translator: ITranslator | null
  ): ISections => {
    const { commands, shell } = app;
    const language = translator ?? nullTranslator;
    const trans = language.load('gpu-headroom');
    const documentName = (): string =>
      memory.hasDocument ? (shell.currentWidget?.title.label ?? '') : '';
    const insertCell = (): InsertCell | null => {
      const id = CommandIDs.insertCleanupCell;
      return commands.hasCommand(id) && commands.isEnabled(id)
        ? ({ kernel }, items) =>
            void commands.execute(id, {
              items: idsOf(items),
              kernelId: kernel.id
            })
        : null;
    };
    const model = new PanelModel({
      memory,
      sessions,
      insertCell,
      trans,
      documentName
    });
    const openSettings = (): void => {
      const query = trans.__('GPU Headroom');
      void commands.execute(OPEN_SETTINGS, { query });
    };
    const panel = new GpuPanel(model, openSettings);
    panel.id = 'gpu-headroom-panel';
    panel.title.icon = gpuIcon;
    panel.title.caption = trans.__('GPU Headroom');
    shell.add(panel, 'right', { rank: RANK, type: 'GPU Headroom' });
    restorer?.add(panel, panel.id);
    commands.addCommand(CommandIDs.showPanel, {
      label: trans.__('Show GPU Panel'),
      icon: gpuIcon,
      describedBy: { args: SHOW_ARGS },
      execute: async ({ section }) => {
        shell.activateById(panel.id);
        if (typeof section === 'string') {
          await panel.reveal(section);
        }
      }
    });
    const { sections } = model;
    sections.add(async () => (await import('./sections')).DEVICES);
    sections.add(async () => (await import('./sections')).HOLDERS);
    sections.add(async () => (await import('./sections')).FREEABLE);
    return sections;
  }
};

export default plugin;
