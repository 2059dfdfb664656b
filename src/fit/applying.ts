import type { TranslationBundle } from '@jupyterlab/translation';

import type { RemedyState } from '../card/state';
import type { IFix } from '../editing/fix';
import { nameLooking } from '../report/fixing';
import type { ReportModel } from '../report/model';
import type { Desk } from '../report/desk';
import { startsWhen } from '../release/queue';
import { own } from '../text/own';
import { Fitter, type IFitParts } from './fitter';
import { fitSentence, nameBusy } from './fitwords';

/**
 * Make an edit and run its cells once, once what that costs is agreed to. What the
 * failed cell holds is freed right before the run. The remedy shows how far it is.
 */
export async function applyAndRun(
  desk: Desk,
  parts: Omit<IFitParts, 'object' | 'once'>
): Promise<void> {
  const { fixing, model, trans } = desk;
  const { remedyId } = parts;
  const fitter = new Fitter({
    ...parts,
    object: fix => objectionTo(fix, remedyId, model, trans),
    once: true
  });
  if (fitter.isBusy) {
    model.setRemedy(remedyId, { status: 'failed', text: nameBusy(trans) });
    return;
  }
  fitter.changed.connect(() => {
    if (fitter.made !== null && fitter.fit.step === 'running') {
      fixing.note(remedyId, fitter.made);
    } else {
      model.refresh();
    }
  });
  await model.wait(remedyId, {
    ended: fitter.run(),
    get state(): RemedyState {
      return fitter.made !== null && fitter.fit.step === 'running'
        ? fixing.describe(fitter.made)
        : describe(fitter, model, trans);
    },
    cancel: () => {
      fitter.cancel();
    }
  });
  showEnd(fitter, desk, remedyId);
}

/** Show what became of it; what can be taken back has its button. */
function showEnd(
  { fit, made }: Fitter,
  { fixing, model, trans }: Desk,
  remedyId: string
): void {
  const { end } = fit;
  const text = fitSentence(fit, trans);
  if (made !== null) {
    fixing.note(remedyId, made);
    if (end?.kind === 'cancelled') {
      model.setRemedy(remedyId, { status: 'applied', text });
    }
  } else if (end?.kind === 'refused') {
    fixing.refuse(remedyId, {
      status: end.isChanged ? 'changed' : 'refused',
      message: end.text
    });
  } else {
    model.setRemedy(
      remedyId,
      end?.kind === 'cancelled'
        ? { status: 'cancelled', text }
        : { status: 'ready' }
    );
  }
}

/** How far an edit is that has not run yet. */
function describe(
  { fit, isWaiting }: Fitter,
  { memory }: ReportModel,
  trans: TranslationBundle
): RemedyState {
  const text = fitSentence(fit, trans);
  if (fit.isCancelled) {
    return { status: 'running', text };
  }
  if (isWaiting) {
    return { status: 'waiting', text: startsWhen(memory.state, trans) };
  }
  const freeing = trans.__(
    'Freeing what the failed cell holds, then running it again…'
  );
  const step = { finding: nameLooking(trans), freeing };
  return {
    status: 'running',
    text: own(step, fit.step) ?? text,
    canStop: true
  };
}

/**
 * Why a fix is not to be made: its button named other cells to run. From now on
 * it names these; `null` where it did already.
 */
function objectionTo(
  { run }: IFix,
  remedyId: string,
  model: ReportModel,
  trans: TranslationBundle
): string | null {
  const named = own(model.runs, remedyId);
  if (named === undefined || named.join('\n') === run.join('\n')) {
    return null;
  }
  model.setRun(remedyId, run);
  return trans.__('Other cells have to run: the button names them.');
}
