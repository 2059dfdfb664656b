import type { TranslationBundle } from '@jupyterlab/translation';

import { runsIPython } from '../kernel/probe';
import { explain, Foreign } from '../kernel/problem';
import { NotTaken } from '../kernel/task';
import { askConsent } from '../lab/consent';
import { type ITaskWords, Notice, noticeOf } from '../lab/notice';
import type { IItem, IReleased, RequestArgs } from '../protocol';
import { words } from '../text/messages';
import { plainRelease, whenIdle } from './plainrelease';
import { startsWhen } from './queue';
import type { ReleaseSession } from './session';
import { plainSentence, releasedSentence } from './told';
import { nameConsent } from './words';

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
  const { phase, problem } = session.memory.state;
  // What a person picked by name is freed as picked, or not at all.
  const isNamed = args.items !== null;
  if (phase !== 'live' && !isNamed) {
    await freePlainly(session, problem ?? '', trans);
    return;
  }
  const release = session.begin(args);
  const notice = noticeOf(release, wordsOf(session, trans), trans);
  try {
    tell(session, await release.ended, notice, trans);
  } catch (reason) {
    if (reason instanceof NotTaken && !isNamed) {
      notice.dismiss();
      await freePlainly(session, reason.message, trans);
    } else {
      tellFailed(reason, notice, trans);
    }
  }
}

/** Ask a person for the price of items; resolves to whether they agree. */
export async function confirmItems(
  items: readonly IItem[],
  trans: TranslationBundle
): Promise<boolean> {
  const { sentence } = words(trans);
  const costs = items.map(({ confirm, cost, title }) =>
    confirm ? sentence(confirm) : `${sentence(title)}: ${sentence(cost)}`
  );
  const title = trans.__('Free GPU memory');
  const label = nameConsent(items, trans);
  return (await askConsent({ title, costs, label }, trans)) !== null;
}

function wordsOf(
  { memory }: ReleaseSession,
  trans: TranslationBundle
): ITaskWords {
  return {
    going: trans.__('Freeing GPU memory…'),
    waiting: () => `${trans.__('Queued.')} ${startsWhen(memory.state, trans)}`
  };
}

function tell(
  session: ReleaseSession,
  released: IReleased,
  notice: Notice,
  trans: TranslationBundle
): void {
  const { status, undo } = released;
  const sentence = releasedSentence(words(trans), released);
  if (status === 'cancelled') {
    tellCancelled(notice, trans);
  } else if (status !== 'failed' && undo.length > 0) {
    notice.offer(sentence, trans.__('Undo'), () => void session.undo(undo));
  } else {
    notice.finish(sentence, TYPES[status]);
  }
}

/** What nothing leads to is collected before anything else is looked for. */
function tellCancelled(notice: Notice, trans: TranslationBundle): void {
  notice.finish(
    trans.__('Canceled: nothing that your code can reach was freed.'),
    'info'
  );
}

function tellFailed(
  reason: unknown,
  notice: Notice,
  trans: TranslationBundle
): void {
  const why = explain(reason, trans);
  notice.finish(trans.__('Could not free GPU memory: %1', why), 'error');
}

/** @param why - the sentence that says why the helper does not do it */
async function freePlainly(
  session: ReleaseSession,
  why: string,
  trans: TranslationBundle
): Promise<void> {
  const { kernel } = session.memory;
  const { going, waiting } = wordsOf(session, trans);
  const cancelling = new AbortController();
  const notice = new Notice(trans, going);
  try {
    if (kernel.status === 'busy') {
      notice.progress(waiting(), () => {
        cancelling.abort();
      });
      if (!(await whenIdle(kernel, cancelling.signal))) {
        tellCancelled(notice, trans);
        return;
      }
      // Python code of ours, which runs to its end.
      notice.progress(going);
    }
    if (!(await runsIPython(kernel))) {
      throw new Foreign();
    }
    const result = await plainRelease(kernel, trans);
    notice.finish(
      plainSentence(trans, result, why),
      (result.freedBytes ?? 0) > 0 ? 'success' : 'info'
    );
  } catch (reason) {
    tellFailed(reason, notice, trans);
  }
}
