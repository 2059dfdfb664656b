import type { NotebookPanel } from '@jupyterlab/notebook';
import type { ISignal } from '@lumino/signaling';

import type { IRemedy } from '../protocol';
import {
  type IContext,
  type INextStep,
  type IOffer,
  type IOffers,
  type IRemedyOffers,
  stateOf
} from '../report/state';
import type { Desk } from './desk';
import {
  type IRemedyOffer,
  type IReportOffer,
  type IReportOffers,
  type IShownReport,
  isOfRemedy,
  type IWholeOffer
} from './offer';
import { REPORT_BUTTONS, OFFERS } from './reportoffers';

/**
 * Offers of a report in JupyterLab, where the surrounding cells can be edited, run and
 * inserted: those registered by the core and the wings.
 */
export class Offers implements IOffers {
  constructor(private readonly _wings: IReportOffers) {
    _wings.changed.connect(this._sort, this);
    this._sort();
  }

  /** Emitted when a wing adds or removes offers. */
  get changed(): ISignal<unknown, void> {
    return this._wings.changed;
  }

  /**
   * Let buttons request the data that their labels need, once each time that the helper
   * confirms the report.
   */
  async prepare(desk: Desk, panel: NotebookPanel): Promise<void> {
    const { report } = desk.model;
    if (report !== null && report !== desk.prepared) {
      desk.prepared = report;
      for (const offer of this._all.filter(isOfRemedy)) {
        await offer.prepare?.(desk, panel);
      }
    }
  }

  /**
   * Run the action of a button. Never rejects: a failure of a remedy is shown with it.
   *
   * @param remedyId - `null`: the button belongs to no remedy
   * @returns the sentence to show in Details; `null`: none
   */
  async press(
    id: string,
    remedyId: string | null,
    shown: IShownReport
  ): Promise<string | null> {
    const offer = this._all.find(reportOffer => reportOffer.id === id);
    const { desk, site } = shown;
    if (offer && !isOfRemedy(offer)) {
      return offer.press(shown).catch(() => null);
    }
    if (remedyId !== null) {
      await (offer
        ? desk &&
          site &&
          desk.model.act(remedyId, () => offer.press(desk, site, remedyId))
        : REPORT_BUTTONS[id]?.(shown, remedyId));
    }
    return null;
  }

  offersOf(context: IContext, remedy: IRemedy): IRemedyOffers {
    const { report, trans } = context;
    if (report.sticky_error) {
      // A restart is the only remedy; JupyterLab asks for confirmation.
      const label = trans.__('Restart kernel…');
      const restart = { label, action: 'restart', primary: true };
      return {
        buttons:
          remedy.kind === 'restart'
            ? [{ ...restart, remedyId: remedy.id }]
            : [],
        followUps: []
      };
    }
    return {
      buttons: this._beside('remedy', context, remedy),
      followUps: this._beside('outcome', context, remedy)
    };
  }

  /**
   * Next step, with one primary button: the fix if the cell needs one, else running it
   * again.
   */
  nextStep(context: IContext, fix: IRemedy | null): INextStep | null {
    const { report, state } = context;
    if (!state.editable) {
      return null;
    }
    const status = fix ? stateOf(context, fix.id).status : 'ready';
    const isOpen = status !== 'applied' && status !== 'changed';
    const fixing = fix && isOpen ? this._next(context, fix) : [];
    const running = status === 'applied' ? [] : this._whole('next', context);
    const fixFirst = fixing.length > 0 && report.fits_after_free !== true;
    if (fixFirst) {
      const buttons = [...withPrimary(fixing), ...running];
      return { text: '', buttons, fix };
    }
    const again =
      report.fits_after_free === false ? running : withPrimary(running);
    return { text: '', buttons: [...again, ...fixing], fix };
  }

  forEdits(context: IContext): readonly IOffer[] {
    const { editable, trust } = context.state;
    return editable && trust === 'confirmed'
      ? this._whole('edits', context)
      : [];
  }

  inDetails(context: IContext): readonly IOffer[] {
    return this._whole('details', context);
  }

  private _beside(
    place: IRemedyOffer['place'],
    context: IContext,
    remedy: IRemedy
  ): IOffer[] {
    return this._all.flatMap(offer =>
      offer.place === place && context.state.editable
        ? shown(offer.id, offer.label(context, remedy), remedy)
        : []
    );
  }

  private _next(context: IContext, fix: IRemedy): IOffer[] {
    return this._all.flatMap(offer =>
      'nextLabel' in offer
        ? shown(offer.id, offer.nextLabel?.(context, fix) ?? null, fix)
        : []
    );
  }

  private _whole(place: IWholeOffer['place'], context: IContext): IOffer[] {
    return this._all.flatMap(offer =>
      offer.place === place ? shown(offer.id, offer.label(context)) : []
    );
  }

  private _sort(): void {
    const all = [...OFFERS, ...this._wings.all.flat()];
    this._all = all.sort((a, b) => a.rank - b.rank);
  }

  private _all: readonly IReportOffer[] = [];
}

function shown(
  action: string,
  label: string | null,
  remedy?: IRemedy
): IOffer[] {
  return label === null ? [] : [{ label, action, remedyId: remedy?.id }];
}

function withPrimary([first, ...others]: readonly IOffer[]): IOffer[] {
  return first ? [{ ...first, primary: true }, ...others] : [];
}
