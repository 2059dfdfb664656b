import type { NotebookPanel } from '@jupyterlab/notebook';
import { Token } from '@lumino/coreutils';

import type { IRemedy, IReport } from '../protocol';
import type { Registry } from '../registry';
import type { IContext } from '../report/state';
import type { IWords } from '../text/messages';
import type { Desk } from './desk';
import type { ISite } from './place';

/** A report in which a button was pressed. */
export interface IShownReport {
  /** The helper's own copy, else the saved one. */
  readonly report: IReport;
  readonly words: IWords;
  /** `null`: there is no kernel that may have made it. */
  readonly desk: Desk | null;
  /** `null` outside notebooks, where nothing is edited or run. */
  readonly site: ISite | null;
  /** Ask for confirmation, then restart the report's kernel. */
  restart(): Promise<unknown>;
}

/** A button of a remedy in a notebook. */
export interface IRemedyOffer {
  readonly id: string;
  /** Position among the buttons of its place. */
  readonly rank: number;
  /** Beside the remedy, or beside its result. */
  readonly place: 'remedy' | 'outcome';
  /** Label of the button; `null`: it is not offered. */
  label(context: IContext, remedy: IRemedy): string | null;
  /** Label as the next step after memory was freed; missing: it is not a next step. */
  nextLabel?(context: IContext, remedy: IRemedy): string | null;
  /** Request the data that the label needs. Never rejects. */
  prepare?(desk: Desk, panel: NotebookPanel): Promise<void>;
  /** Run its action; a rejection is shown on the remedy. */
  press(desk: Desk, site: ISite, remedyId: string): Promise<void> | void;
}

/** A button of a report: for all edits together, as the next step, or in Details. */
export interface IWholeOffer {
  readonly id: string;
  readonly rank: number;
  readonly place: 'edits' | 'next' | 'details';
  /** Label of the button; `null`: it is not offered. */
  label(context: IContext): string | null;
  /** Resolves to the sentence to show in Details; `null`: none. */
  press(shown: IShownReport): Promise<string | null>;
}

/** A button of a report: when it is shown, and its action. */
export type IReportOffer = IRemedyOffer | IWholeOffer;

/** Whether an offer is for one remedy. */
export function isOfRemedy(offer: IReportOffer): offer is IRemedyOffer {
  return offer.place === 'remedy' || offer.place === 'outcome';
}

/** The buttons that wings add to reports. */
export type IReportOffers = Registry<readonly IReportOffer[]>;

/** Token of the buttons of reports, for plugins that add some. */
export const IReportOffers = new Token<IReportOffers>(
  'gpu-headroom:IReportOffers',
  'The buttons of out-of-memory reports in notebooks.'
);
