import type { TranslationBundle } from '@jupyterlab/translation';

import { explain } from '../kernel/problem';
import { askConsent } from '../lab/consent';
import { type ITaskWords, type Notice, noticeOf } from '../lab/notice';
import type { IItem, IReleased, RequestArgs } from '../protocol';
import { words } from '../text/messages';
import { startsWhen } from './queue';
import type { ReleaseSession } from './session';
import { releasedSentence } from './outcome';
import { nameConsent } from './words';

/** Notification types by the result of a release. */
const TYPES = { done: 'success', nothing: 'info', failed: 'error' } as const;

/**
 * Free the memory of a kernel, and show the result in a notification. Never rejects: a
 * failure is shown there.
 */
export async function notifyRelease(
  session: ReleaseSession,
  args: RequestArgs<'release'>,
  trans: TranslationBundle
): Promise<void> {
  const release = session.begin(args);
  const notice = noticeOf(release, wordsOf(session, trans), trans);
  try {
    tell(session, await release.ended, notice, trans);
  } catch (reason) {
    const why = explain(reason, trans);
    notice.finish(trans.__('Could not free GPU memory: %1', why), 'error');
  }
}

/** Ask the user to confirm the costs of items; resolves to whether they agree. */
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
    // Unreachable objects are collected before the other items are looked for.
    notice.finish(
      trans.__('Canceled: none of your variables was deleted.'),
      'info'
    );
  } else if (status !== 'failed' && undo.length > 0) {
    notice.offer(sentence, trans.__('Undo'), () => void session.undo(undo));
  } else {
    notice.finish(sentence, TYPES[status]);
  }
}
