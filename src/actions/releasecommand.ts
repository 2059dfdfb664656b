import type { TranslationBundle } from '@jupyterlab/translation';

import type { IWords } from '../frame/state';
import { cancel } from '../kernel/cancel';
import { runsIPython } from '../kernel/probe';
import { explain, Foreign } from '../kernel/problem';
import { words } from '../messages';
import type { IReleased, RequestArgs } from '../protocol';
import type { IKernelMemory } from '../tokens';
import { Notice, plainSentence, releasedSentence } from './notice';
import { plainRelease, whenIdle } from './plainrelease';
import { startsWhen } from './queue';
import { release } from './release';
import { NotTaken } from './work';

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
      await this._free(memory, args, notice);
    } catch (reason) {
      notice.failed(
        this._trans.__(
          'Could not free GPU memory: %1',
          explain(reason, this._trans)
        )
      );
    }
  }

  private async _free(
    memory: IKernelMemory,
    args: RequestArgs<'release'>,
    notice: Notice
  ): Promise<void> {
    const { phase, problem } = memory.state;
    // What a person picked by name is freed as picked, or not at all.
    const isNamed = args.items !== null;
    if (phase !== 'live' && !isNamed) {
      await this._plain(memory, notice, problem ?? '');
      return;
    }
    try {
      this._tell(memory, notice, await this._release(memory, args, notice));
    } catch (reason) {
      if (!(reason instanceof NotTaken) || isNamed) {
        throw reason;
      }
      await this._plain(memory, notice, reason.message);
    }
  }

  private _release(
    memory: IKernelMemory,
    args: RequestArgs<'release'>,
    notice: Notice
  ): Promise<IReleased> {
    return release(memory, args, releaseId => {
      this._wait(memory, notice, () => {
        void cancel(memory, releaseId);
      });
    });
  }

  private _wait(
    { state }: IKernelMemory,
    notice: Notice,
    onCancel: () => void
  ): void {
    notice.waiting(
      `${this._trans.__('Queued.')} ${startsWhen(state, this._trans)}`,
      this._trans.__('Cancel'),
      onCancel
    );
  }

  private _tell(
    memory: IKernelMemory,
    notice: Notice,
    released: IReleased
  ): void {
    const sentence = releasedSentence(this._words, released);
    if (released.status === 'failed') {
      notice.failed(sentence);
    } else if (released.status === 'cancelled') {
      this._takenBack(notice);
    } else if (released.undo.length > 0) {
      notice.offer(sentence, this._trans.__('Undo'), () => {
        void this._undo(memory, released.undo);
      });
    } else if (released.status === 'done') {
      notice.done(sentence);
    } else {
      notice.info(sentence);
    }
  }

  /** The press of Undo is the consent that moving memory back needs. */
  private _undo(memory: IKernelMemory, ids: readonly string[]): Promise<void> {
    return this.run(memory, {
      items: [...ids],
      confirmed: [...ids],
      report_id: null
    });
  }

  private _takenBack(notice: Notice): void {
    notice.info(this._trans.__('Nothing was freed: taken back.'));
  }

  /** @param why - the sentence that says why the helper does not do it */
  private async _plain(
    memory: IKernelMemory,
    notice: Notice,
    why: string
  ): Promise<void> {
    const { kernel } = memory;
    const wait = new AbortController();
    if (kernel.status === 'busy') {
      this._wait(memory, notice, () => {
        wait.abort();
      });
      if (!(await whenIdle(kernel, wait.signal))) {
        this._takenBack(notice);
        return;
      }
      notice.progress(this._trans.__('Freeing GPU memory…'));
    }
    if (!(await runsIPython(kernel))) {
      throw new Foreign();
    }
    const result = await plainRelease(kernel);
    const sentence = plainSentence(this._trans, result, why);
    if (result.freedBytes !== null && result.freedBytes > 0) {
      notice.done(sentence);
    } else {
      notice.info(sentence);
    }
  }

  private readonly _words: IWords;
}
