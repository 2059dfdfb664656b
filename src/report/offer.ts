import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { Token } from '@lumino/coreutils';

import type { IContext } from '../card/state';
import type { Files } from '../editing/files';
import type { IRemedy } from '../protocol';
import type { Registry } from '../registry';
import type { ReleaseSession } from '../release/session';
import type { Fixing } from './fixing';
import type { ReportModel } from './model';
import type { ISite } from './place';

/** What the buttons of a report work with. */
export interface IDesk {
  readonly model: ReportModel;
  readonly fixing: Fixing;
  readonly session: ReleaseSession;
  readonly files: Files;
  readonly translator: ITranslator;
  readonly trans: TranslationBundle;
}

/** A button of a remedy. */
export interface IRemedyOffer {
  readonly id: string;
  /** Position among the buttons of its place. */
  readonly rank: number;
  /** Beside the remedy, or beside what became of it. */
  readonly place: 'remedy' | 'outcome';
  /** Its label; `null`: it is not offered. */
  label(context: IContext, remedy: IRemedy): string | null;
  /** Its label as the next step once memory was freed; missing: it is none. */
  nextLabel?(context: IContext, remedy: IRemedy): string | null;
  /** What it does; a rejection is shown on the remedy. */
  press(desk: IDesk, site: ISite, remedyId: string): Promise<void> | void;
}

/** A button of a report: for all edits together, or as the next step. */
export interface IWholeOffer {
  readonly id: string;
  readonly rank: number;
  readonly place: 'edits' | 'next';
  /** Its label; `null`: it is not offered. */
  label(context: IContext): string | null;
  press(desk: IDesk, site: ISite): Promise<void> | void;
}

/** A button that a report has in a notebook: when it is shown, and what it does. */
export type IReportOffer = IRemedyOffer | IWholeOffer;

/** Whether an offer is of one remedy. */
export function isOfRemedy(offer: IReportOffer): offer is IRemedyOffer {
  return offer.place === 'remedy' || offer.place === 'outcome';
}

/** The buttons that wings add to reports. */
export type IReportOffers = Registry<readonly IReportOffer[]>;

/** The token of the buttons of reports, for the plugins that add some. */
export const IReportOffers = new Token<IReportOffers>(
  'gpu-headroom:IReportOffers',
  'The buttons of out-of-memory reports in notebooks.'
);
