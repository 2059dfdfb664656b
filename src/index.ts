import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import badges from './cells/badgeplugin';
import cells from './cells/plugin';
import started from './cells/startedplugin';
import palette from './commands/palette';
import actions from './commands/plugin';
import dryRun from './dryrun/plugin';
import gauge from './gauge/plugin';
import kernel from './kernel/plugin';
import notebooks from './otherkernels/plugin';
import panel from './panel/plugin';
import release from './release/plugin';
import report from './report/plugin';

const plugins: JupyterFrontEndPlugin<unknown>[] = [
  kernel,
  gauge,
  notebooks,
  release,
  panel,
  actions,
  dryRun,
  palette,
  report,
  cells,
  badges,
  started
];

export default plugins;
