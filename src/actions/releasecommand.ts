import type { Kernel } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IWords } from '../frame/state';
import { words } from '../messages';
import type { IReleased, RequestArgs } from '../protocol';
import { sentenceOf } from '../reason';
import type { IKernelMemory } from '../tokens';
import { Notice, plainSentence, releasedSentence } from './notice';
import { plainRelease } from './plainrelease';
import { release } from './release';

/**
 * Frees the memory of a kernel and tells what came of it in a notification.
 */
export class ReleaseCommand {
  constructor(private readonly _trans: TranslationBundle) {
    this._words = words(_trans);
  }

  /**
   * Free; through the helper where there is one. Never rejects: a failure is
   * what the notification says.
   */
  async run(
    memory: IKernelMemory,
    args: RequestArgs<'release'>
  ): Promise<void> {
    const notice = new Notice(this._trans.__('Freeing GPU memory…'));
    try {
      if (memory.state.phase === 'live') {
        this._tell(notice, await this._release(memory, args, notice));
      } else {
        await this._plain(memory.kernel, notice);
      }
    } catch (reason) {
      notice.failed(
        this._trans.__('Could not free GPU memory: %1', sentenceOf(reason))
      );
    }
  }

  private _release(
    memory: IKernelMemory,
    args: RequestArgs<'release'>,
    notice: Notice
  ): Promise<IReleased> {
    return release(memory, args, releaseId => {
      notice.waiting(
        this._trans.__('Waiting: starts when the running cell ends.'),
        this._trans.__('Cancel'),
        () => void memory.request('cancel', { release_id: releaseId })
      );
    });
  }

  private _tell(notice: Notice, released: IReleased): void {
    const sentence = releasedSentence(this._words, released);
    if (released.status === 'failed') {
      notice.failed(sentence);
    } else if (released.status === 'done') {
      notice.done(sentence);
    } else if (released.status === 'cancelled') {
      notice.info(this._trans.__('Nothing was freed: taken back.'));
    } else {
      notice.info(sentence);
    }
  }

  private async _plain(
    kernel: Kernel.IKernelConnection,
    notice: Notice
  ): Promise<void> {
    const result = await plainRelease(kernel);
    const sentence = plainSentence(this._trans, result);
    if (result.freedBytes !== null && result.freedBytes > 0) {
      notice.done(sentence);
    } else {
      notice.info(sentence);
    }
  }

  private readonly _words: IWords;
}
