import type { IRemedy } from '../protocol';
import type { ICardState, IContext, RemedyState } from './state';

/**
 * What the buttons of a card do about code: pages differ in what they let it do.
 *
 * Each is asked for a report that the live helper vouches for.
 */
export interface IEditing {
  /** Whether there is a button that brings the code of such a remedy into a cell. */
  inserts(kind: IRemedy['kind'], state: ICardState): boolean;

  /** The buttons of a remedy that is no release. */
  buttons(context: IContext, remedy: IRemedy, disabled: boolean): HTMLElement[];

  /** Beside what became of a remedy. */
  followUps(
    context: IContext,
    remedyId: string,
    state: RemedyState
  ): HTMLElement[];

  /** What to do once memory was freed. */
  nextStep(context: IContext, fix: IRemedy | null): HTMLElement | null;

  /** The ways to copy the card. */
  copies(context: IContext): HTMLElement[];
}
