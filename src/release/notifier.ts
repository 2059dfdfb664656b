import type { TranslationBundle } from '@jupyterlab/translation';

import { Notice } from '../components/notice';
import { runsIPython } from '../kernel/probe';
import { explain, Foreign } from '../kernel/problem';
import { NotTaken } from '../kernel/work';
import type { IReleased, RequestArgs } from '../protocol';
import { words } from '../text/messages';
import { plainRelease, whenIdle } from './plainrelease';
import { startsWhen } from './queue';
import type { ReleaseSession } from './session';
import { plainSentence, releasedSentence } from './told';

/** A release in a kernel, and the notification that follows it. */
interface ITelling {
  readonly session: ReleaseSession;
  readonly notice: Notice;
  readonly trans: TranslationBundle;
}

/** How what became of a release is told. */
const TYPES = { done: 'success', nothing: 'info', failed: 'error' } as const;

/**
 * Free the memory of a kernel, through the helper where there is one, and tell
 * what came of it in a notification. Never rejects: a failure is what that says.
 */
export async function notifyRelease(
  session: ReleaseSession,
  args: RequestArgs<'release'>,
  trans: TranslationBundle
): Promise<void> {
  const notice = new Notice(trans.__('Freeing GPU memory…'));
  try {
    await free({ session, notice, trans }, args);
  } catch (reason) {
    const why = explain(reason, trans);
    const sentence = trans.__('Could not free GPU memory: %1', why);
    notice.finish(sentence, 'error');
  }
}

async function free(
  telling: ITelling,
  args: RequestArgs<'release'>
): Promise<void> {
  const { session } = telling;
  const { phase, problem } = session.memory.state;
  // What a person picked by name is freed as picked, or not at all.
  const isNamed = args.items !== null;
  if (phase !== 'live' && !isNamed) {
    await freePlainly(telling, problem ?? '');
    return;
  }
  try {
    const release = session.begin(args);
    release.changed.connect(() => {
      if (release.step === 'waiting') {
        wait(telling, () => void release.cancel());
      }
    });
    tell(telling, await release.ended);
  } catch (reason) {
    if (!(reason instanceof NotTaken) || isNamed) {
      throw reason;
    }
    await freePlainly(telling, reason.message);
  }
}

function wait(
  { notice, session, trans }: ITelling,
  onCancel: () => void
): void {
  const when = startsWhen(session.memory.state, trans);
  const sentence = `${trans.__('Queued.')} ${when}`;
  notice.waiting(sentence, trans.__('Cancel'), onCancel);
}

function tell(telling: ITelling, released: IReleased): void {
  const { notice, session, trans } = telling;
  const { status, undo } = released;
  const sentence = releasedSentence(words(trans), released);
  if (status === 'cancelled') {
    tellTakenBack(telling);
  } else if (status !== 'failed' && undo.length > 0) {
    notice.offer(sentence, trans.__('Undo'), () => void session.undo(undo));
  } else {
    notice.finish(sentence, TYPES[status]);
  }
}

function tellTakenBack({ notice, trans }: ITelling): void {
  notice.finish(trans.__('Nothing was freed: taken back.'), 'info');
}

/** @param why - the sentence that says why the helper does not do it */
async function freePlainly(telling: ITelling, why: string): Promise<void> {
  const { notice, session, trans } = telling;
  const { kernel } = session.memory;
  const waiting = new AbortController();
  if (kernel.status === 'busy') {
    wait(telling, () => {
      waiting.abort();
    });
    if (!(await whenIdle(kernel, waiting.signal))) {
      tellTakenBack(telling);
      return;
    }
    notice.progress(trans.__('Freeing GPU memory…'));
  }
  if (!(await runsIPython(kernel))) {
    throw new Foreign();
  }
  const result = await plainRelease(kernel, trans);
  notice.finish(
    plainSentence(trans, result, why),
    (result.freedBytes ?? 0) > 0 ? 'success' : 'info'
  );
}
