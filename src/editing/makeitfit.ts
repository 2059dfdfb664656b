import type { TranslationBundle } from '@jupyterlab/translation';

import { Notice } from '../lab/notice';
import { plain } from '../text/plain';
import { sentenceOf } from '../text/reason';
import { Fitter, type IFitParts } from './fitter';

/**
 * Make a cell fit, with a notification to stop it and, at the end, to undo it, since
 * the report disappears with the output of the cell. Never rejects.
 *
 * @returns why it was not started; `null`: it was
 */
export async function makeItFit(
  parts: Omit<IFitParts, 'once'>
): Promise<string | null> {
  const trans = parts.translator.load('gpu-headroom');
  const fitter = new Fitter({ ...parts, once: false });
  if (fitter.isBusy) {
    return nameBusy(trans);
  }
  const notice = new Notice(trans, fitter.text);
  const cancel = (): void => {
    fitter.cancel();
  };
  fitter.changed.connect(() => {
    if (fitter.end === null) {
      notice.progress(plain(fitter.text), fitter.isCanceled ? null : cancel);
    }
  });
  await fitter.run();
  showEnd(fitter, notice, trans);
  return null;
}

/** Why a second one is not started. */
export function nameBusy(trans: TranslationBundle): string {
  return trans.__('Another try is already running in this kernel.');
}

function showEnd(
  fitter: Fitter,
  notice: Notice,
  trans: TranslationBundle
): void {
  const text = plain(fitter.text);
  const kind = fitter.end?.kind;
  const type = kind === 'fits' ? 'success' : 'warning';
  if (fitter.hasChanged) {
    const press = (): void => void undo(fitter, trans);
    notice.offer(text, trans.__('Undo'), press, type);
  } else {
    notice.finish(text, kind === 'canceled' ? 'info' : type);
  }
}

async function undo(fitter: Fitter, trans: TranslationBundle): Promise<void> {
  const edited = trans.__('The cell was edited since, so nothing was changed.');
  const why = await fitter
    .undo()
    .then(isDone => (isDone ? null : edited), sentenceOf);
  if (why !== null) {
    new Notice(trans, why).finish(why, 'warning');
  }
}
