import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { loadSettings } from '../settings';
import { IGpuMemory, IOtherKernels } from '../tokens';
// Those who watch are there before the first question.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { OtherKernels } from './otherkernels';

/**
 * The other kernels of the server, asked while somebody watches.
 */
const plugin: JupyterFrontEndPlugin<IOtherKernels> = {
  id: 'gpu-headroom:notebooks',
  description: 'Provides what other notebooks of the server hold of the GPUs.',
  autoStart: true,
  provides: IOtherKernels,
  requires: [IGpuMemory],
  optional: [ISettingRegistry],
  activate: async (
    app,
    memory: IGpuMemory,
    registry: ISettingRegistry | null
  ): Promise<IOtherKernels> =>
    new OtherKernels({
      memory,
      services: app.serviceManager,
      settings: await loadSettings(registry)
    })
};

export default plugin;
