import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { ISections } from '../panel/model';
import { IReleaseSessions, type ReleaseSessions } from '../release/sessions';
import { loadSettings } from '../settings';
import { IGpuMemory } from '../tokens';
import type { OtherKernels } from './otherkernels';

/** The other kernels of the server, asked while they are on screen. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:notebooks',
  description: 'Shows what other notebooks of the server hold of the GPUs.',
  autoStart: true,
  requires: [IGpuMemory, ISections, IReleaseSessions],
  optional: [ISettingRegistry],
  activate: (
    app,
    memory: IGpuMemory,
    sections: ISections,
    sessions: ReleaseSessions,
    registry: ISettingRegistry | null
  ): void => {
    let others: OtherKernels | null = null;
    sessions.isShared = kernel => others?.isSharing(kernel) ?? false;
    sections.add(async () => {
      const [{ OtherKernels }, { othersSection }] = await Promise.all([
        import('./otherkernels'),
        import('./section')
      ]);
      others ??= new OtherKernels({
        memory,
        services: app.serviceManager,
        settings: await loadSettings(registry)
      });
      return othersSection(others);
    });
  }
};

export default plugin;
