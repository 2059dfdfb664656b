import { type ISignal, Signal } from '@lumino/signaling';

import { cancel, perform } from '../kernel/work';
import type { IReleased, RequestArgs } from '../protocol';
import type { IKernelMemory } from '../tokens';

/** How far a release has come. */
export type ReleaseStep = 'freeing' | 'waiting' | 'ended';

/**
 * One release, from the request to what came of it. Whoever shows it follows
 * `changed`; whoever goes on after it awaits `ended`.
 */
export class Release {
  /** Begins at once. */
  constructor(
    private readonly _memory: IKernelMemory,
    args: RequestArgs<'release'>
  ) {
    this.ended = perform(_memory, 'release', args, ({ release_id, status }) => {
      if (status === 'waiting') {
        this._id = release_id;
        this._set('waiting');
      }
    }).finally(() => {
      this._set('ended');
      Signal.clearData(this);
    });
  }

  /** Rejects with a sentence when the helper refuses or is gone before the end. */
  readonly ended: Promise<IReleased>;

  get step(): ReleaseStep {
    return this._step;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Take it back while it waits for a cell to end. Never rejects. */
  async cancel(): Promise<void> {
    if (this._step === 'waiting') {
      await cancel(this._memory, this._id);
    }
  }

  private _set(step: ReleaseStep): void {
    this._step = step;
    this._changed.emit();
  }

  private readonly _changed = new Signal<this, void>(this);
  private _step: ReleaseStep = 'freeing';
  private _id = '';
}
