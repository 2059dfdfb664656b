import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import actions from './actions/plugin';
import palette from './actions/palette';
import cells from './cells/plugin';
import gauge from './gauge/plugin';
import kernel from './kernel/plugin';
import report from './report/plugin';

const plugins: JupyterFrontEndPlugin<unknown>[] = [
  kernel,
  gauge,
  actions,
  palette,
  report,
  cells
];

export default plugins;
