import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

// A press of a button asks and tells at once.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { confirmItems, notifyRelease } from './notifier';
import { IReleaseSessions, ReleaseSessions } from './sessions';

/**
 * The release sessions of the page's kernels.
 */
const plugin: JupyterFrontEndPlugin<ReleaseSessions> = {
  id: 'gpu-headroom:release',
  description: 'Gives GPU memory back, for all that offers it.',
  autoStart: true,
  optional: [ITranslator],
  provides: IReleaseSessions,
  activate: (_, translator: ITranslator | null): ReleaseSessions => {
    const trans = (translator ?? nullTranslator).load('gpu-headroom');
    return new ReleaseSessions({
      confirm: items => confirmItems(items, trans),
      notify: (session, args) => notifyRelease(session, args, trans)
    });
  }
};

export default plugin;
