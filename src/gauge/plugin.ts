import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IToolbarWidgetRegistry } from '@jupyterlab/apputils';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import { Widget } from '@lumino/widgets';

import { Announcer } from '../lab/announcer';
import { IReleaseSessions, type ReleaseSessions } from '../release/sessions';
import { loadSettings } from '../settings';
import { CommandIDs, IGpuMemory, NO_ARGS } from '../tokens';
// The status bar needs the gauge, and its model, from the start.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { GaugeModel } from './model';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- see above
import { GaugeOpener } from './opener';
import { ToolbarItem } from './toolbaritem';

/** The gauge: in the status bar, or if there is none, in the notebook toolbar. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:gauge',
  description: 'Shows the GPU memory of the focused kernel.',
  autoStart: true,
  requires: [IGpuMemory, IReleaseSessions],
  optional: [IStatusBar, IToolbarWidgetRegistry, ISettingRegistry, ITranslator],
  activate: async (
    app,
    memory: IGpuMemory,
    sessions: ReleaseSessions,
    statusBar: IStatusBar | null,
    toolbars: IToolbarWidgetRegistry | null,
    registry: ISettingRegistry | null,
    translator: ITranslator | null
  ): Promise<void> => {
    const { commands } = app;
    const trans = (translator ?? nullTranslator).load('gpu-headroom');
    const settings = await loadSettings(registry);
    const model = new GaugeModel(memory, settings, trans);
    const opener = new GaugeOpener(model, commands);
    const announcer = new Announcer();
    model.announced.connect((_, sentence) => {
      announcer.announce(sentence);
    });
    addCommands(commands, opener, model, sessions);
    // The schema's toolbar entry applies to JupyterLab too, which needs no second
    // gauge.
    toolbars?.addFactory('Notebook', 'gpu-headroom', () =>
      statusBar ? createNothing() : new ToolbarItem(opener.create(), model)
    );
    statusBar?.registerStatusItem('gpu-headroom:gauge', {
      item: opener.create(),
      align: 'left',
      // Just after the status of the kernel, and there in narrow windows too.
      rank: 1.5,
      priority: 1,
      isActive: () => model.isShown,
      activeStateChanged: model.stateChanged
    });
  }
};

/** Create a widget that takes no room. */
function createNothing(): Widget {
  const widget = new Widget();
  widget.hide();
  return widget;
}

function addCommands(
  commands: CommandRegistry,
  opener: GaugeOpener,
  model: GaugeModel,
  sessions: ReleaseSessions
): void {
  const { trans } = model;
  commands.addCommand(CommandIDs.showPopup, {
    label: trans.__('Show GPU Memory'),
    describedBy: { args: NO_ARGS },
    isEnabled: () => model.isShown && opener.last !== null,
    execute: () => {
      opener.show();
    }
  });
  commands.addCommand(CommandIDs.freeMemory, {
    label: trans.__('Free GPU Memory…'),
    describedBy: { args: NO_ARGS },
    isEnabled: () =>
      model.current?.state.phase === 'live' &&
      'device' in model.reading &&
      commands.hasCommand(CommandIDs.showPanel),
    execute: async () => {
      const { current } = model;
      // Requested by the user, so a measurement that was not made yet may take long.
      const looking =
        current && sessions.get(current).checklist.plan.show(true);
      await commands.execute(CommandIDs.showPanel, { section: 'freeable' });
      looking?.dispose();
    }
  });
}

export default plugin;
