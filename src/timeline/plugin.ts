import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { ISections } from '../panel/model';

/** The section of the panel that shows the session of a GPU. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpu-headroom:timeline',
  description: 'Shows the memory of a GPU over the session.',
  autoStart: true,
  requires: [ISections],
  activate: (_, sections: ISections): void => {
    sections.add(async () => (await import('./section')).TIMELINE);
  }
};

export default plugin;
