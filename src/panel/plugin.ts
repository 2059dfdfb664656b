import {
  ILayoutRestorer,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { gpuIcon } from '../lab/labicons';
import { idsOf } from '../memory/items';
import { IReleaseSessions, type ReleaseSessions } from '../release/sessions';
import { DEFAULT_SETTINGS, loadSettings } from '../settings';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- to record from the start
import { workersOf } from '../workers/workers';
import { CommandIDs, IGpuMemory, IOtherKernels } from '../tokens';
// The side bar needs the panel, and its model, before the layout is restored.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { type InsertCell, PanelModel } from './model';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- see above
import { GpuPanel } from './panel';

/** Of JupyterLab. */
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
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:panel',
  description: 'Shows in the side bar what holds the GPU memory of a kernel.',
  autoStart: true,
  requires: [IGpuMemory, IReleaseSessions],
  optional: [IOtherKernels, ILayoutRestorer, ISettingRegistry, ITranslator],
  activate: (
    app,
    memory: IGpuMemory,
    sessions: ReleaseSessions,
    others: IOtherKernels | null,
    restorer: ILayoutRestorer | null,
    registry: ISettingRegistry | null,
    translator: ITranslator | null
  ): void => {
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
    // The layout is restored before they are loaded.
    let settings = { current: DEFAULT_SETTINGS };
    void loadSettings(registry).then(loaded => {
      settings = loaded;
    });
    const model = new PanelModel({
      memory,
      sessions,
      others,
      insertCell,
      trans,
      documentName,
      mayMeasure: () => settings.current.measureWorkers === 'ask'
    });
    const openSettings = (): void => {
      const query = trans.__('GPU Headroom');
      void commands.execute(OPEN_SETTINGS, { query });
    };
    // Workers are recorded from the start, whether the panel is open or not.
    const record = (): void => {
      if (memory.current) {
        workersOf(memory.current);
      }
    };
    memory.currentChanged.connect(record);
    record();
    const panel = new GpuPanel(model, openSettings);
    panel.id = 'gpu-headroom-panel';
    panel.title.icon = gpuIcon;
    panel.title.caption = trans.__('GPU Headroom');
    shell.add(panel, 'right', { rank: RANK, type: 'GPU Headroom' });
    restorer?.add(panel, panel.id);
    commands.addCommand(CommandIDs.showPanel, {
      label: trans.__('Show GPU Panel'),
      caption: trans.__('Show in the side bar what holds GPU memory.'),
      icon: gpuIcon,
      describedBy: { args: SHOW_ARGS },
      execute: async ({ section }) => {
        shell.activateById(panel.id);
        if (typeof section === 'string') {
          await panel.reveal(section);
        }
      }
    });
  }
};

export default plugin;
