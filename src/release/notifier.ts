import type { TranslationBundle } from '@jupyterlab/translation';

import { Notice } from '../components/notice';
import type { IWords } from '../frame/state';
import { runsIPython } from '../kernel/probe';
import { explain, Foreign } from '../kernel/problem';
import { NotTaken } from '../kernel/work';
import { words } from '../messages';
import type { IReleased, RequestArgs } from '../protocol';
import type { IKernelMemory } from '../tokens';
import { plainRelease, whenIdle } from './plainrelease';
import { startsWhen } from './queue';
import type { ReleaseSession } from './session';
import { plainSentence, releasedSentence } from './told';

/**
 * Frees the memory of a kernel and tells what came of it in a notification.
 */
export class ReleaseNotifier {
  constructor(private readonly _trans: TranslationBundle) {
    this._words = words(_trans);
  }

  /**
   * Free; through the helper where there is one. Never rejects: a failure is
   * what the notification says.
   */
  async run(
    session: ReleaseSession,
    args: RequestArgs<'release'>
  ): Promise<void> {
    const notice = new Notice(this._trans.__('Freeing GPU memory…'));
    try {
      await this._free(session, args, notice);
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
    session: ReleaseSession,
    args: RequestArgs<'release'>,
    notice: Notice
  ): Promise<void> {
    const { memory } = session;
    const { phase, problem } = memory.state;
    // What a person picked by name is freed as picked, or not at all.
    const isNamed = args.items !== null;
    if (phase !== 'live' && !isNamed) {
      await this._plain(memory, notice, problem ?? '');
      return;
    }
    try {
      this._tell(session, notice, await this._release(session, args, notice));
    } catch (reason) {
      if (!(reason instanceof NotTaken) || isNamed) {
        throw reason;
      }
      await this._plain(memory, notice, reason.message);
    }
  }

  private _release(
    session: ReleaseSession,
    args: RequestArgs<'release'>,
    notice: Notice
  ): Promise<IReleased> {
    const release = session.begin(args);
    release.changed.connect(() => {
      if (release.step === 'waiting') {
        this._wait(session.memory, notice, () => void release.cancel());
      }
    });
    return release.ended;
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
    session: ReleaseSession,
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
        void session.undo(released.undo);
      });
    } else if (released.status === 'done') {
      notice.done(sentence);
    } else {
      notice.info(sentence);
    }
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
