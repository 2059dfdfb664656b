import type { IDryRunTry, IReleased, IRemedy, IReport } from '../protocol';
import type { IWords } from '../text/messages';
import { own } from '../text/own';

/**
 * What is known of the helper that made a report.
 *
 * - `asking`: a kernel is there and has not answered yet
 * - `confirmed`: the live helper made this very report; only now are there buttons
 * - `saved`: nobody vouches for it; it is text
 */
export type Trust = 'asking' | 'confirmed' | 'saved';

/**
 * Where one remedy stands. `text` is the sentence to show.
 *
 * - `begun`: under way, but not for as long as is worth a word
 * - `running`: `canStop` tells whether it can be cancelled
 * - `waiting`: queued in the kernel until the running cell ends
 * - `applied`: the edit is in the cell, which has not run yet
 * - `inserted`: its code stands in a new cell, which has not run
 * - `copied`: its code is on the clipboard
 * - `refused`: it was not allowed to copy its code, which is there to be selected
 * - `cancelled`: taken back by the person
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

/** What came of trying the edits of a report on a simulated GPU, as far as it is. */
export interface ITried {
  /** What goes on, or what is to be known of all of them; empty: nothing. */
  readonly text: string;
  readonly isGoing: boolean;
  /** By remedy id; the largest number that fits where several were tried. */
  readonly byRemedy: Readonly<Record<string, IDryRunTry>>;
}

/** That they were not, and what is to be said of that. */
export function notTried(text: string): ITried {
  return { text, isGoing: false, byRemedy: {} };
}

/** What changes about a card while it is on screen. */
export interface ICardState {
  readonly trust: Trust;
  /** Whether the cells around the card can be edited and run. */
  readonly editable: boolean;
  /** The last release that gave memory back for this report. */
  readonly released: IReleased | null;
  /**
   * The prompts of the cells that a fix of another cell runs, by remedy id.
   * Until they are known the fix is not offered to be run.
   */
  readonly runs: Readonly<Record<string, readonly string[]>>;
  /** What became of the last press in Details, as a sentence; `null`: nothing. */
  readonly said: string | null;
  /** What trying the edits on a simulated GPU has shown; `null`: they were not tried. */
  readonly tried: ITried | null;
  /** By remedy id; a remedy that is missing is `ready`. */
  readonly remedies: Readonly<Record<string, RemedyState>>;
}

/** A button that is offered: of a remedy it rests while that is under way. */
export interface IOffer {
  readonly label: string;
  /** Accessible name, where several buttons have this label. */
  readonly description?: string;
  /** What it is, for the page that does it. */
  readonly action: string;
  readonly remedyId?: string;
  readonly primary?: boolean;
}

/** What is offered about a remedy. */
export interface IRemedyOffers {
  /** Beside it; those of a release or a suggestion are the card's own. */
  readonly buttons: readonly IOffer[];
  /** Beside what became of it. */
  readonly followUps: readonly IOffer[];
}

/** What to do once memory was freed. */
export interface INextStep {
  readonly text: string;
  readonly buttons: readonly IOffer[];
  /** The remedy whose progress is told below; `null`: none. */
  readonly fix: IRemedy | null;
}

/**
 * What a page offers about a failure, as data that the card draws: pages differ in
 * what they let a button do about code.
 */
export interface IOffers {
  /** Asked for a report that the live helper vouches for. */
  offersOf(context: IContext, remedy: IRemedy): IRemedyOffers;

  /**
   * The same.
   *
   * @param fix - the first edit
   */
  nextStep(context: IContext, fix: IRemedy | null): INextStep | null;

  /** What is offered about all edits together, where there are some. */
  forEdits(context: IContext): readonly IOffer[];

  /** What is offered below the numbers of the report. */
  inDetails(context: IContext): readonly IOffer[];
}

/** Receives a press of a button. */
export type OnAction = (id: string, remedyId: string | null) => void;

/** What the parts of a card need to draw themselves. */
export interface IContext extends IWords {
  readonly report: IReport;
  readonly state: ICardState;
  readonly offers: IOffers;
  readonly onAction: OnAction;
  /** The folds that a person has opened, by name: they stay so wherever they move. */
  readonly opened: Set<string>;
}

export const READY: RemedyState = { status: 'ready' };

/** Where a remedy stands. */
export function stateOf({ state }: IContext, remedyId: string): RemedyState {
  return own(state.remedies, remedyId) ?? READY;
}

/** Whether what a button of a remedy asked for goes on. */
export function isUnderWay({ status }: RemedyState): boolean {
  return status === 'begun' || status === 'running' || status === 'waiting';
}

/** Whether a remedy is code to run, or brings some. */
export function isCode({ kind }: IRemedy): boolean {
  return kind === 'snippet' || kind === 'save';
}

/** Whether a button brings code into a cell, so that nobody has to type it. */
export function isInserting({ state }: IContext): boolean {
  return state.editable && state.trust === 'confirmed';
}
