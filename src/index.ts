import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import gauge from './gauge/plugin';
import kernel from './kernel/plugin';
import panel from './panel/plugin';
import release from './release/plugin';
import report from './renderer/plugin';
import * as wings from './wings';

const plugins: JupyterFrontEndPlugin<unknown>[] = [
  kernel,
  gauge,
  release,
  panel,
  report,
  ...Object.values<wings.Wing<unknown>>(wings)
];

export default plugins;
