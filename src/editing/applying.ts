import type { Desk } from '../renderer/desk';
import type { RemedyState } from '../report/state';
import { own } from '../text/own';
import { Fitter, type IFitParts } from './fitter';
import type { IFix } from './fix';
import type { Fixing } from './fixing';
import { nameBusy } from './makeitfit';

/**
 * Make an edit and run its cells once, after the user agreed to the costs. What the
 * failed cell retains is freed right before the run. The remedy shows the progress.
 */
export async function applyAndRun(
  desk: Desk,
  fixing: Fixing,
  parts: Omit<IFitParts, 'object' | 'once'>
): Promise<void> {
  const { model, trans } = desk;
  const { remedyId } = parts;
  const fitter = new Fitter({
    ...parts,
    object: fix => objectionTo(fix, remedyId, desk),
    once: true
  });
  if (fitter.isBusy) {
    model.setRemedy(remedyId, { status: 'failed', text: nameBusy(trans) });
    return;
  }
  fitter.changed.connect(() => {
    if (fitter.made !== null && fitter.isRunning) {
      fixing.note(remedyId, fitter.made);
    } else {
      model.refresh();
    }
  });
  await model.wait(remedyId, {
    ended: fitter.run(),
    get state(): RemedyState {
      const { isCanceled, isRunning, isWaiting, made, text } = fitter;
      if (made !== null && isRunning) {
        return fixing.describe();
      }
      return isWaiting
        ? { status: 'waiting', text }
        : { status: 'running', text, canStop: !isCanceled };
    },
    cancel: () => {
      fitter.cancel();
    }
  });
  showEnd(fitter, desk, fixing, remedyId);
}

/** Show the result, with a button to undo if possible. */
function showEnd(
  { end, made, text }: Fitter,
  { model }: Desk,
  fixing: Fixing,
  remedyId: string
): void {
  const kind = end?.kind;
  if (made !== null) {
    fixing.note(remedyId, made);
    if (kind === 'canceled') {
      model.setRemedy(remedyId, { status: 'applied', text });
    }
  } else if (kind === 'canceled') {
    model.setRemedy(remedyId, { status: 'cancelled', text });
  } else {
    const status = kind === 'changed' ? kind : 'refused';
    fixing.refuse(remedyId, { status, message: text });
  }
}

/**
 * Why a fix must not be made: its button named other cells to run, and names these from
 * now on. `null` if it named these.
 */
function objectionTo(
  { run }: IFix,
  remedyId: string,
  { model, trans }: Desk
): string | null {
  const named = own(model.runs, remedyId);
  if (named === undefined || named.join('\n') === run.join('\n')) {
    return null;
  }
  model.setRun(remedyId, run);
  return trans.__('Other cells have to run first: the button names them.');
}
