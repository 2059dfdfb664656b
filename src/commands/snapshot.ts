import { Clipboard } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { Notice, plain } from '../components/notice';
import { explain } from '../kernel/problem';
import { perform } from '../kernel/work';
import { formatBytes } from '../text/format';
import { words } from '../text/messages';
import type { IKernelMemory } from '../tokens';

/**
 * Have the kernel write the allocator's snapshot, and tell in a notification
 * where the file is. Never rejects: a failure is what the notification says.
 */
export async function saveSnapshot(
  memory: IKernelMemory,
  trans: TranslationBundle
): Promise<void> {
  const notice = new Notice(trans.__('Saving a memory snapshot…'));
  try {
    const written = await perform(memory, 'snapshot', { path: null }, () => {
      notice.progress(
        trans.__('Waiting: the snapshot is saved when the running cell ends.')
      );
    });
    const { bytes, message, path } = written;
    if (path === null) {
      notice.finish(plain(words(trans).sentence(message)), 'info');
    } else {
      const size = bytes === null ? '' : ` (${formatBytes(bytes)})`;
      // A notification has room for 140 characters: too few for many paths.
      const name = PathExt.basename(path) + size;
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
