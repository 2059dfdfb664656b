import type { TranslationBundle } from '@jupyterlab/translation';

import { Notice } from '../lab/notice';
import { plain } from '../text/plain';
import { startsWhen } from '../release/queue';
import { sentenceOf } from '../text/reason';
import { Fitter, type IFitParts } from './fitter';
import { fitSentence, nameBusy } from './fitwords';

/**
 * Make a cell fit, told in a notification with the way to stop it and, at the
 * end, to take it back: the card goes with the output of the cell. Never rejects.
 *
 * Returns why it was not begun; `null`: it was.
 */
export async function makeItFit(
  parts: Omit<IFitParts, 'once'>
): Promise<string | null> {
  const trans = parts.translator.load('gpu-headroom');
  const fitter = new Fitter({ ...parts, once: false });
  if (fitter.isBusy) {
    return nameBusy(trans);
  }
  const notice = new Notice(trans, fitSentence(fitter.fit, trans));
  fitter.changed.connect(() => {
    show(fitter, notice, parts, trans);
  });
  await fitter.run();
  return null;
}

function show(
  fitter: Fitter,
  notice: Notice,
  { session }: Pick<IFitParts, 'session'>,
  trans: TranslationBundle
): void {
  const { fit, isWaiting } = fitter;
  const sentence =
    isWaiting && !fit.isCancelled
      ? startsWhen(session.memory.state, trans)
      : plain(fitSentence(fit, trans));
  if (fit.end === null || !fitter.isDone) {
    if (fit.isCancelled) {
      notice.progress(sentence);
    } else {
      notice.progress(sentence, () => {
        fitter.cancel();
      });
    }
    return;
  }
  const type = fit.end.kind === 'fits' ? 'success' : 'warning';
  if (fitter.hasChanged) {
    notice.offer(
      sentence,
      trans.__('Undo'),
      () => {
        void undo(fitter, trans);
      },
      type
    );
  } else {
    notice.finish(sentence, fit.end.kind === 'cancelled' ? 'info' : type);
  }
}

async function undo(fitter: Fitter, trans: TranslationBundle): Promise<void> {
  const edited = trans.__('A cell was edited since, so nothing was undone.');
  const why = await fitter
    .undo()
    .then(isDone => (isDone ? null : edited), sentenceOf);
  if (why !== null) {
    new Notice(trans, why).finish(why, 'warning');
  }
}
