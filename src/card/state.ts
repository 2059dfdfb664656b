import type { IReleased, IReport } from '../protocol';
import type { IWords } from '../text/messages';
import type { IEditing } from './editing';

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
 * - `waiting`: queued in the kernel until the running cell ends
 * - `applied`: the edit is in the cell, which has not run yet
 * - `inserted`: its code stands in a new cell, which has not run, or was copied
 * - `refused`: it was not allowed to copy its code, which is there to be selected
 * - `changed`: the cell no longer has the lines that the remedy edits
 */
export type RemedyState =
  | { status: 'ready' }
  | { status: 'running'; text: string }
  | { status: 'waiting'; text: string }
  | { status: 'applied'; text: string }
  | { status: 'inserted'; text: string }
  | { status: 'refused'; text: string; code: string }
  | { status: 'changed'; text: string; line: number | null }
  | { status: 'failed'; text: string };

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
  /** What became of the last copy; `null`: nothing was copied. */
  readonly copied: string | null;
  /** By remedy id; a remedy that is missing is `ready`. */
  readonly remedies: Readonly<Record<string, RemedyState>>;
}

/**
 * What a button asks for.
 *
 * `run` with a remedy runs the cells that its edit concerns, without one the
 * failed cell.
 */
export type ActionName =
  | 'release'
  | 'cancel'
  | 'apply'
  | 'apply-and-run'
  | 'make-it-fit'
  | 'insert'
  | 'insert-fixed'
  | 'save'
  | 'undo'
  | 'run'
  | 'reveal'
  | 'restart'
  | 'copy'
  | 'copy-for-forum'
  | 'copy-evidence';

/** Receives a press of a button. */
export type OnAction = (name: ActionName, remedyId: string | null) => void;

/** What the parts of a card need to draw themselves. */
export interface IContext extends IWords {
  readonly report: IReport;
  readonly state: ICardState;
  readonly editing: IEditing;
  readonly onAction: OnAction;
}
