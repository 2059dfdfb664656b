/**
 * How far *Make it fit* has come: a pure state machine. What a step asks for is
 * done by `fitter.ts`, and what came of it leads to the next.
 *
 * `finding` an edit → `freeing` what the failed cell holds → `editing` →
 * `running` → `ended`, or `finding` the next one.
 */
export interface IFit {
  readonly step: 'finding' | 'freeing' | 'editing' | 'running' | 'ended';
  /** How many edits were tried, the present one included. */
  readonly tries: number;
  /** What the last edit sets, as code: `batch_size = 256`; `null`: nothing of the kind. */
  readonly setting: string | null;
  /** Whether to stop after the running try. */
  readonly isCancelled: boolean;
  readonly end: FitEnd | null;
}

/** The highest memory that a run needed, of how much. */
export interface IPeak {
  readonly peak_bytes: number;
  readonly capacity_bytes: number | null;
  /** False: sampled, say "at least". */
  readonly isExact: boolean;
}

/** How it ended. */
export type FitEnd =
  | { kind: 'fits'; peak: IPeak | null }
  | { kind: 'nothing-left' }
  | { kind: 'other-error' }
  | { kind: 'cancelled' }
  /** Why an edit could not be made. */
  | { kind: 'refused'; text: string };

/** What came of a step, or what the person asked for. */
export type FitEvent =
  | { type: 'found'; setting: string | null }
  | { type: 'none' }
  | { type: 'freed' }
  | { type: 'edited' }
  | { type: 'passed'; peak: IPeak | null }
  /** The cell failed: for want of memory, or for another reason. */
  | { type: 'failed'; isOom: boolean }
  | { type: 'refused'; text: string }
  | { type: 'cancel' };

/** More halvings than a number has. */
const MAX_TRIES = 40;

export const FIT_START: IFit = {
  step: 'finding',
  tries: 0,
  setting: null,
  isCancelled: false,
  end: null
};

/**
 * The state after an event. Once ended it stays as it is.
 */
export function fitting(fit: IFit, event: FitEvent): IFit {
  if (fit.step === 'ended') {
    return fit;
  }
  switch (event.type) {
    case 'cancel':
      return { ...fit, isCancelled: true };
    case 'refused':
      return ended(fit, { kind: 'refused', text: event.text });
    case 'none':
      return ended(fit, { kind: 'nothing-left' });
    case 'passed':
      // However the person wished to stop: what fits is what was wanted.
      return ended(fit, { kind: 'fits', peak: event.peak });
    default:
      return fit.isCancelled && event.type !== 'edited'
        ? ended(fit, { kind: 'cancelled' })
        : advanced(fit, event);
  }
}

function advanced(
  fit: IFit,
  event: Extract<FitEvent, { type: 'found' | 'freed' | 'edited' | 'failed' }>
): IFit {
  switch (event.type) {
    case 'found':
      return {
        ...fit,
        step: 'freeing',
        tries: fit.tries + 1,
        setting: event.setting
      };
    case 'freed':
      return { ...fit, step: 'editing' };
    case 'edited':
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

function ended(fit: IFit, end: FitEnd): IFit {
  return { ...fit, step: 'ended', end };
}
