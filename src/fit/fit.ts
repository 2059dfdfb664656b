import type { IRange } from '../memory/peak';

/**
 * How far an edit that is to run has come: a pure state machine, of *Make it fit*
 * and of *Apply and re-run*, which is one try of it. What a step asks for is done by
 * `fitter.ts`, and what came of it leads to the next.
 *
 * `finding` an edit → `asking` what running its cells again would cost → `agreeing`,
 * where it costs a person something → `editing` → `freeing` what the failed cell
 * holds, and what was agreed to → `running` → `ended`, or `finding` the next one.
 *
 * What may refuse comes before what destroys: nothing is freed before the last step
 * before a run, and until then a wish to stop leaves everything as it was.
 */
export interface IFit {
  readonly step:
    | 'finding'
    | 'asking'
    | 'agreeing'
    | 'editing'
    | 'freeing'
    | 'running'
    | 'ended';
  /** How many edits were tried, the present one included. */
  readonly tries: number;
  /** What the last edit sets, as code: `batch_size = 256`; `null`: nothing of the kind. */
  readonly setting: string | null;
  /** Whether to stop at the next step, a running try at its end. */
  readonly isCancelled: boolean;
  /** Whether names that the person agreed to lose are gone. */
  readonly hasDeleted: boolean;
  readonly end: FitEnd | null;
}

/** The highest memory that a run needed, of how much. */
export interface IPeak extends IRange {
  readonly capacity_bytes: number | null;
}

/** How it ended. */
export type FitEnd =
  | { kind: 'fits'; peak: IPeak | null }
  | { kind: 'nothing-left' }
  | { kind: 'other-error' }
  /** `left`: what is not as it was before the first step. */
  | { kind: 'cancelled'; left: 'nothing' | 'names' | 'tries' | 'edit' }
  /** Why an edit could not be made or run; `isChanged`: its lines are others by now. */
  | { kind: 'refused'; text: string; isChanged: boolean };

/** What came of a step, or what the person asked for. */
export type FitEvent =
  | { type: 'found'; setting: string | null }
  | { type: 'none' }
  /** Whether there is something that the person has to agree to. */
  | { type: 'asked'; isCostly: boolean }
  | { type: 'agreed' }
  | { type: 'edited' }
  /** Whether names of the person's went with it. */
  | { type: 'freed'; names: boolean }
  | { type: 'passed'; peak: IPeak | null }
  /** The cell failed: for want of memory, or for another reason. */
  | { type: 'failed'; isOom: boolean }
  | { type: 'refused'; text: string; isChanged?: boolean }
  | { type: 'cancel' }
  /** The last edit could not be taken back. */
  | { type: 'kept' };

/** More halvings than a number has. */
const MAX_TRIES = 40;

export const FIT_START: IFit = {
  step: 'finding',
  tries: 0,
  setting: null,
  isCancelled: false,
  hasDeleted: false,
  end: null
};

/**
 * The state after an event. Once ended it says no more but that the edit stays.
 */
export function fitting(fit: IFit, event: FitEvent): IFit {
  if (fit.step === 'ended' || event.type === 'kept') {
    return event.type === 'kept' && fit.end?.kind === 'cancelled'
      ? { ...fit, end: { ...fit.end, left: 'edit' } }
      : fit;
  }
  switch (event.type) {
    case 'cancel':
      return { ...fit, isCancelled: true };
    case 'refused': {
      const { isChanged = false, text } = event;
      return ended(fit, { kind: 'refused', text, isChanged });
    }
    case 'none':
      return ended(fit, { kind: 'nothing-left' });
    case 'passed':
      // However the person wished to stop: what fits is what was wanted.
      return ended(fit, { kind: 'fits', peak: event.peak });
    case 'freed': {
      const freed = { ...fit, hasDeleted: fit.hasDeleted || event.names };
      return fit.isCancelled ? cancelled(freed) : advanced(freed, event);
    }
    default:
      return fit.isCancelled ? cancelled(fit) : advanced(fit, event);
  }
}

function advanced(
  fit: IFit,
  event: Extract<
    FitEvent,
    { type: 'found' | 'asked' | 'agreed' | 'edited' | 'freed' | 'failed' }
  >
): IFit {
  switch (event.type) {
    case 'found':
      return {
        ...fit,
        step: 'asking',
        tries: fit.tries + 1,
        setting: event.setting
      };
    case 'asked':
      return { ...fit, step: event.isCostly ? 'agreeing' : 'editing' };
    case 'agreed':
      return { ...fit, step: 'editing' };
    case 'edited':
      return { ...fit, step: 'freeing' };
    case 'freed':
      return { ...fit, step: 'running' };
    case 'failed':
      if (!event.isOom) {
        return ended(fit, { kind: 'other-error' });
      }
      return fit.tries < MAX_TRIES
        ? { ...fit, step: 'finding' }
        : ended(fit, { kind: 'nothing-left' });
  }
}

function cancelled(fit: IFit): IFit {
  const hasRun = fit.step === 'running' || fit.tries > 1;
  const left = hasRun ? 'tries' : fit.hasDeleted ? 'names' : 'nothing';
  return ended(fit, { kind: 'cancelled', left });
}

function ended(fit: IFit, end: FitEnd): IFit {
  return { ...fit, step: 'ended', end };
}
