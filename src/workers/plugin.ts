import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { ISections } from '../panel/model';
import { loadSettings } from '../settings';

/**
 * The section of the panel that shows the workers of a kernel.
 */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:workers',
  description: 'Shows the processes that a notebook sends its work to.',
  autoStart: true,
  requires: [ISections],
  optional: [ISettingRegistry],
  activate: (
    _,
    sections: ISections,
    registry: ISettingRegistry | null
  ): void => {
    sections.add(async () => {
      const { workersSection } = await import('./panelsection');
      return workersSection(await loadSettings(registry));
    });
  }
};

export default plugin;
