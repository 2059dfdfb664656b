import type { TranslationBundle } from '@jupyterlab/translation';

import { hasFreed, RELEASED_ITEMS } from '../memory/released';
import type { IReleased } from '../protocol';
import { startsWhen } from '../release/queue';
import type { Release } from '../release/release';
import type { ReleaseSession } from '../release/session';
import { words } from '../text/messages';
import type { ReportModel } from './model';

/**
 * Frees what the failed cell of a report holds, and says on its cards how that
 * stands.
 */
export class Freeing {
  constructor(
    private readonly _model: ReportModel,
    private readonly _session: ReleaseSession,
    private readonly _trans: TranslationBundle
  ) {}

  /**
   * Free as the remedy itself: nothing freed is a failure.
   */
  async run(remedyId: string): Promise<void> {
    const released = await this._release(remedyId);
    if (hasFreed(released)) {
      this._model.setRemedy(remedyId, { status: 'ready' });
    } else {
      this._refuse(remedyId, released);
    }
  }

  /**
   * Take back a release that waits.
   */
  async cancel(remedyId: string): Promise<void> {
    await this._releases.get(remedyId)?.cancel();
  }

  private async _release(remedyId: string): Promise<IReleased> {
    this._model.setRemedy(remedyId, { status: 'running', text: '' });
    const release = this._session.begin({
      items: RELEASED_ITEMS,
      confirmed: [],
      report_id: this._model.reportId
    });
    this._releases.set(remedyId, release);
    release.changed.connect(() => {
      if (release.step === 'waiting') {
        this._model.setRemedy(remedyId, {
          status: 'waiting',
          text: startsWhen(this._model.memory.state, this._trans)
        });
      }
    });
    try {
      return await release.ended;
    } finally {
      this._releases.delete(remedyId);
    }
  }

  private _refuse(remedyId: string, released: IReleased): void {
    const { message, status } = released;
    const why = words(this._trans).sentence(message);
    const text =
      status === 'failed' ? this._trans.__('Could not free it: %1', why) : why;
    this._model.setRemedy(
      remedyId,
      status === 'cancelled' ? { status: 'ready' } : { status: 'failed', text }
    );
  }

  private readonly _releases = new Map<string, Release>();
}
