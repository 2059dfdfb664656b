import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Notice, plain } from '../components/notice';
import { Sentence } from '../components/sentence';
import { words } from '../messages';
import type { IMessage } from '../protocol';
import type { IKernelMemory } from '../tokens';
import { Fitter, type IFitParts } from './fitter';
import { fitSentence } from './fitwords';

/** The kernels in which one is on its way: no two at a time. */
const busy = new WeakSet<IKernelMemory>();

/**
 * Make a cell fit, told in a notification with the way to stop it and, at the
 * end, to take it back: the card goes with the output of the cell. Never rejects.
 */
export async function makeItFit(
  parts: Omit<IFitParts, 'agree'>
): Promise<void> {
  const { memory } = parts.session;
  if (busy.has(memory)) {
    return;
  }
  busy.add(memory);
  const trans = parts.translator.load('gpu-headroom');
  const agree = (caution: IMessage): Promise<boolean> =>
    agreeTo(caution, trans);
  const fitter = new Fitter({ ...parts, agree });
  const notice = new Notice(fitSentence(fitter.fit, trans));
  fitter.changed.connect(() => {
    show(fitter, notice, trans);
  });
  try {
    await fitter.run();
  } finally {
    busy.delete(memory);
  }
}

function show(fitter: Fitter, notice: Notice, trans: TranslationBundle): void {
  const { fit } = fitter;
  const sentence = plain(fitSentence(fit, trans));
  if (fit.end === null || !fitter.isDone) {
    if (fit.isCancelled) {
      notice.progress(sentence);
    } else {
      notice.waiting(sentence, trans.__('Cancel'), () => {
        void stop(fitter, trans);
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
        undo(fitter, trans);
      },
      type
    );
  } else {
    notice.finish(sentence, fit.end.kind === 'cancelled' ? 'info' : type);
  }
}

function undo(fitter: Fitter, trans: TranslationBundle): void {
  if (!fitter.undo()) {
    const sentence = trans.__('A cell was edited since: undo it there.');
    new Notice(sentence).finish(sentence, 'warning');
  }
}

/** A run is interrupted only where the person says so. */
async function stop(fitter: Fitter, trans: TranslationBundle): Promise<void> {
  if (fitter.fit.step !== 'running') {
    fitter.cancel();
    return;
  }
  const wait = trans.__('Stop after this try');
  const { button } = await showDialog({
    title: trans.__('Stop making it fit?'),
    body: trans.__(
      'The cell is running. It can run to its end first, or be interrupted.'
    ),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Go on') }),
      Dialog.okButton({ label: wait }),
      Dialog.warnButton({ label: trans.__('Interrupt now') })
    ],
    defaultButton: 1
  });
  if (button.accept && button.label === wait) {
    fitter.cancel();
  } else if (button.accept) {
    await fitter.interrupt();
  }
}

async function agreeTo(
  caution: IMessage,
  trans: TranslationBundle
): Promise<boolean> {
  const { button } = await showDialog({
    title: trans.__('Make it fit'),
    body: (
      <div>
        <Sentence text={words(trans).sentence(caution)} />
        <p>{trans.__('It may take several tries.')}</p>
      </div>
    ),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.okButton({ label: trans.__('Run it again') })
    ],
    defaultButton: 0
  });
  return button.accept;
}
