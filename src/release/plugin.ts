import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IReleaseSessions, ReleaseSessions } from './sessions';

/** The release sessions of the page's kernels. */
const plugin: JupyterFrontEndPlugin<ReleaseSessions> = {
  id: 'gpu-headroom:release',
  description: 'Gives GPU memory back, for all that offers it.',
  autoStart: true,
  optional: [ITranslator],
  provides: IReleaseSessions,
  activate: (_, translator: ITranslator | null): ReleaseSessions => {
    const trans = (translator ?? nullTranslator).load('gpu-headroom');
    return new ReleaseSessions({
      confirm: async items =>
        (await import('./notifier')).confirmItems(items, trans),
      notify: async (session, args) =>
        (await import('./notifier')).notifyRelease(session, args, trans)
    });
  }
};

export default plugin;
