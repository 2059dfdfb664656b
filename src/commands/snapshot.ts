import { Clipboard } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { explain } from '../kernel/problem';
import { Task } from '../kernel/task';
import { noticeOf } from '../lab/notice';
import { startsWhen } from '../release/queue';
import { formatBytes } from '../text/format';
import { words } from '../text/messages';
import { plain } from '../text/plain';
import type { IKernelMemory } from '../tokens';

/**
 * Have the kernel write the allocator's snapshot, and show in a notification where the
 * file is. Never rejects: a failure is shown in the notification.
 */
export async function saveSnapshot(
  memory: IKernelMemory,
  trans: TranslationBundle
): Promise<void> {
  const task = new Task(memory, 'snapshot', { path: null });
  const sentences = {
    going: trans.__('Saving a memory snapshot…'),
    waiting: () => `${trans.__('Queued.')} ${startsWhen(memory.state, trans)}`
  };
  const notice = noticeOf(task, sentences, trans);
  try {
    const { bytes, message, path } = await task.ended;
    if (path === null) {
      notice.finish(plain(words(trans).sentence(message)), 'info');
    } else {
      const size = bytes === null ? '' : ` (${formatBytes(bytes)})`;
      // A notification has room for 140 characters: too few for many paths.
      const name = `${path.split(/[/\\]/).pop()}${size}`;
      notice.offer(
        trans.__('Memory snapshot saved: %1', name),
        trans.__('Copy path'),
        () => {
          Clipboard.copyToSystem(path);
        }
      );
    }
  } catch (reason) {
    const why = explain(reason, trans);
    notice.finish(trans.__('No memory snapshot was saved: %1', why), 'error');
  }
}
