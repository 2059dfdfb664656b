import type { IDryRunTry, IReleased, IRemedy, IReport } from '../protocol';
import type { IWords } from '../text/messages';
import { own } from '../text/own';

/**
 * Whether the helper that made a report is still running.
 *
 * - `asking`: there is a kernel and it has not replied yet
 * - `confirmed`: the running helper made this report; only then are there buttons
 * - `saved`: no running helper confirms it; text only
 */
export type Trust = 'asking' | 'confirmed' | 'saved';

/**
 * Progress of one remedy. `text` is the sentence to show.
 *
 * - `begun`: in progress, but too short to be shown
 * - `running`: in progress; `canStop` is whether it can be canceled
 * - `waiting`: queued in the kernel until the running cell ends
 * - `applied`: the edit is in the cell, which has not run yet
 * - `inserted`: its code is in a new cell, which has not run
 * - `copied`: its code is on the clipboard
 * - `refused`: copying was not allowed; the code is shown for selection
 * - `cancelled`: canceled by the user
 * - `changed`: the cell no longer has the lines that the remedy edits
 */
export type RemedyState =
  | { status: 'ready' }
  | { status: 'begun' }
  | { status: 'running'; text: string; canStop?: boolean }
  | { status: 'waiting'; text: string }
  | { status: 'applied'; text: string }
  | { status: 'inserted'; text: string }
  | { status: 'copied'; text: string }
  | { status: 'refused'; text: string; code: string }
  | { status: 'cancelled'; text: string }
  | { status: 'changed'; text: string; line: number | null }
  | { status: 'failed'; text: string };

/** Results so far of trying the edits of a report on a simulated GPU. */
export interface ITried {
  /** Current progress, or a note on all edits; empty: nothing. */
  readonly text: string;
  readonly isGoing: boolean;
  /**
   * By remedy id; if several values were tried, the result of the largest one that
   * fits.
   */
  readonly byRemedy: Readonly<Record<string, IDryRunTry>>;
}

/** State of edits that were not tried, with a sentence on why. */
export function notTried(text: string): ITried {
  return { text, isGoing: false, byRemedy: {} };
}

/** State of a report that changes while it is on screen. */
export interface IReportState {
  readonly trust: Trust;
  /** Whether the surrounding cells can be edited and run. */
  readonly editable: boolean;
  /** The last release that freed memory for this report. */
  readonly released: IReleased | null;
  /**
   * Prompts of the cells that a fix of another cell runs, by remedy id. Until they are
   * set, running the fix is not offered.
   */
  readonly runs: Readonly<Record<string, readonly string[]>>;
  /** Result of the last button press in Details, as a sentence; `null`: none. */
  readonly said: string | null;
  /** Results of trying the edits on a simulated GPU; `null`: they were not tried. */
  readonly tried: ITried | null;
  /** By remedy id; a remedy without an entry is `ready`. */
  readonly remedies: Readonly<Record<string, RemedyState>>;
}

/** A button. Buttons of a remedy are inactive while the remedy is in progress. */
export interface IOffer {
  readonly label: string;
  /** Accessible name, where several buttons have this label. */
  readonly description?: string;
  /** Action id, for the handler of the page. */
  readonly action: string;
  readonly remedyId?: string;
  readonly primary?: boolean;
}

/** Buttons of one remedy. */
export interface IRemedyOffers {
  /**
   * Beside the remedy; buttons of releases and suggestions are part of the report
   * itself.
   */
  readonly buttons: readonly IOffer[];
  /** Beside the result. */
  readonly followUps: readonly IOffer[];
}

/** The step to take after memory was freed. */
export interface INextStep {
  readonly text: string;
  readonly buttons: readonly IOffer[];
  /** The remedy whose progress is shown below; `null`: none. */
  readonly fix: IRemedy | null;
}

/**
 * Buttons that a page offers about a failure, as data that the report renders. Pages
 * differ in what a button may do with code.
 */
export interface IOffers {
  /** Called only for a report that the running helper confirmed. */
  offersOf(context: IContext, remedy: IRemedy): IRemedyOffers;

  /**
   * Called only for a report that the running helper confirmed.
   *
   * @param fix - the first edit
   */
  nextStep(context: IContext, fix: IRemedy | null): INextStep | null;

  /** Buttons for all edits together, if there are any. */
  forEdits(context: IContext): readonly IOffer[];

  /** Buttons below the numbers of the report. */
  inDetails(context: IContext): readonly IOffer[];
}

/** Callback for a button press. */
export type OnAction = (id: string, remedyId: string | null) => void;

/** Props that the parts of a report share. */
export interface IContext extends IWords {
  readonly report: IReport;
  readonly state: IReportState;
  readonly offers: IOffers;
  readonly onAction: OnAction;
  /** Names of the sections that the user opened, kept when sections move. */
  readonly opened: Set<string>;
}

export const READY: RemedyState = { status: 'ready' };

/** Progress of a remedy. */
export function stateOf({ state }: IContext, remedyId: string): RemedyState {
  return own(state.remedies, remedyId) ?? READY;
}

/** Whether a remedy's action is in progress. */
export function isUnderWay({ status }: RemedyState): boolean {
  return status === 'begun' || status === 'running' || status === 'waiting';
}

/** Whether a remedy is code to run, or inserts code. */
export function isCode({ kind }: IRemedy): boolean {
  return kind === 'snippet' || kind === 'save';
}

/** Whether a button puts code into a cell, so that the user need not type it. */
export function isInserting({ state }: IContext): boolean {
  return state.editable && state.trust === 'confirmed';
}
