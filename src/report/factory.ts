import {
  type ISessionContextDialogs,
  SessionContextDialogs
} from '@jupyterlab/apputils';
import type { IConsoleTracker } from '@jupyterlab/console';
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { ITranslator } from '@jupyterlab/translation';

import { Announcer } from '../announcer';
import { words as wordsOf } from '../messages';
import type { ReleaseSessions } from '../release/sessions';
import type { IGpuMemory } from '../tokens';
import { MIME_TYPE } from './mimetype';
import { Places } from './place';
import { ReportRenderer } from './renderer';
import { Reports } from './reports';

interface IParts {
  readonly memory: IGpuMemory;
  readonly sessions: ReleaseSessions;
  readonly notebooks: INotebookTracker | null;
  readonly consoles: IConsoleTracker | null;
  readonly dialogs: ISessionContextDialogs | null;
  readonly translator: ITranslator;
}

/**
 * What draws reports wherever outputs are shown. All its cards share what is
 * known of the reports, for as long as the page lives.
 */
export function createFactory({
  memory,
  sessions,
  notebooks,
  consoles,
  dialogs,
  translator
}: IParts): IRenderMime.IRendererFactory {
  const trans = translator.load('gpu-headroom');
  const words = wordsOf(trans);
  const options: ReportRenderer.IOptions = {
    memory,
    places: new Places(notebooks, consoles),
    reports: new Reports(sessions, words, translator),
    announcer: new Announcer(),
    dialogs: dialogs ?? new SessionContextDialogs({ translator }),
    words,
    trans
  };
  return {
    // All of it is text: it is also shown in notebooks that are not trusted.
    safe: true,
    mimeTypes: [MIME_TYPE],
    createRenderer: () => new ReportRenderer(options)
  };
}
