import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { ISections } from '../panel/model';
import { IReportOffers } from '../renderer/offer';
import { CommandIDs, IGpuMemory, NO_ARGS } from '../tokens';

/** The command that runs the cells of a notebook on a simulated GPU. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:dry-run',
  description: 'Says on which GPU a notebook fits, before it runs on any.',
  autoStart: true,
  requires: [IGpuMemory, INotebookTracker],
  optional: [ISections, IReportOffers, ITranslator],
  activate: (
    app,
    memory: IGpuMemory,
    notebooks: INotebookTracker,
    sections: ISections | null,
    offers: IReportOffers | null,
    translator: ITranslator | null
  ): void => {
    const { commands } = app;
    sections?.add(async () => (await import('./panelsection')).FITS_ON);
    offers?.add(async () => (await import('./offers')).OFFERS);
    const trans = (translator ?? nullTranslator).load('gpu-headroom');
    const isEnabled = (): boolean =>
      notebooks.currentWidget !== null &&
      memory.current?.state.phase === 'live';
    commands.addCommand(CommandIDs.dryRun, {
      label: trans.__('Dry Run on a GPU…'),
      describedBy: { args: NO_ARGS },
      isEnabled,
      execute: async () => {
        const panel = notebooks.currentWidget;
        const { current } = memory;
        if (!panel || !current) {
          return;
        }
        const { beginDryRun } = await import('./begin');
        const why = await beginDryRun(
          current,
          panel,
          () => void commands.execute(CommandIDs.showPanel),
          trans
        );
        if (why !== null) {
          // By default it would be in the list of notifications only.
          Notification.warning(why, { autoClose: false });
        }
      }
    });
  }
};

export default plugin;
