import type { NotebookPanel } from '@jupyterlab/notebook';
import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';

import type { Files } from '../editing/files';
import type { IReport } from '../protocol';
import type { ReleaseSession } from '../release/session';
import { Fixing } from './fixing';
import type { ReportModel } from './model';

/**
 * What the buttons of a report work with, the same on all its cards.
 *
 * Only ids leave this page, and edits come from the helper.
 */
export class Desk {
  constructor(
    readonly model: ReportModel,
    readonly session: ReleaseSession,
    readonly files: Files,
    readonly translator: ITranslator
  ) {
    this.trans = translator.load('gpu-headroom');
    this.fixing = new Fixing(model, files, this.trans);
  }

  readonly trans: TranslationBundle;

  readonly fixing: Fixing;

  /**
   * Find out, once for each time that the helper vouches for the report, what
   * the buttons have to say. Never rejects.
   */
  async prepare(panel: NotebookPanel): Promise<void> {
    const { report } = this.model;
    if (report !== null && report !== this._prepared) {
      this._prepared = report;
      await this.fixing.lookAhead(panel);
    }
  }

  private _prepared: IReport | null = null;
}
