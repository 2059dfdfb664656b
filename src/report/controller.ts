import type { NotebookPanel } from '@jupyterlab/notebook';
import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';

import type { Files } from '../editing/files';
import type { IReport } from '../protocol';
import type { ReleaseSession } from '../release/session';
import { Fixing } from './fixing';
import type { ReportModel } from './model';
import { type IDesk, isOfRemedy } from './offer';
import type { Offers } from './offers';
import type { ISite } from './place';

/**
 * Carries out what the buttons of a report's cards ask for.
 *
 * Only ids leave this page, and edits come from the helper. A failure ends as a
 * sentence on the cards.
 */
export class ReportController implements IDesk {
  constructor(
    readonly model: ReportModel,
    readonly session: ReleaseSession,
    readonly files: Files,
    readonly translator: ITranslator,
    private readonly _offers: Offers
  ) {
    this.trans = translator.load('gpu-headroom');
    this.fixing = new Fixing(model, files, this.trans);
  }

  readonly trans: TranslationBundle;

  readonly fixing: Fixing;

  /**
   * Do what a button asks for. Never rejects.
   *
   * @param remedyId - `null`: it is of no remedy
   * @param site - `null` outside notebooks, where nothing is edited or run
   */
  async act(
    id: string,
    remedyId: string | null,
    site: ISite | null
  ): Promise<void> {
    const { model } = this;
    if (remedyId === null) {
      const offer = this._offers.find(id);
      if (site && offer && !isOfRemedy(offer)) {
        // What became of it is shown elsewhere.
        await Promise.resolve(offer.press(this, site)).catch(() => undefined);
      }
    } else if (id === 'cancel') {
      model.cancel(remedyId);
    } else {
      await model.act(remedyId, () => this._press(id, remedyId, site));
    }
  }

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

  private _press(
    id: string,
    remedyId: string,
    site: ISite | null
  ): Promise<void> | void {
    const offer = this._offers.find(id);
    if (id === 'release') {
      return this.model.free(remedyId);
    }
    return site && offer && isOfRemedy(offer)
      ? offer.press(this, site, remedyId)
      : undefined;
  }

  private _prepared: IReport | null = null;
}
