import { type ISignal, Signal } from '@lumino/signaling';

import { release } from '../actions/release';
import type { IReleased } from '../protocol';
import { sentenceOf } from '../reason';
import type { IKernelMemory } from '../tokens';

/** How far a release has come. */
export type FreeingStep =
  | { readonly kind: 'ready' }
  | { readonly kind: 'freeing' }
  | { readonly kind: 'waiting'; readonly releaseId: string }
  | { readonly kind: 'done'; readonly released: IReleased }
  | { readonly kind: 'failed'; readonly problem: string };

/**
 * One release at a time, for the popup, which shows how far it has come.
 */
export class Freeing {
  get step(): FreeingStep {
    return this._step;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Free the safe set; resolves when the step is final. */
  async start(memory: IKernelMemory): Promise<void> {
    if (this._step.kind === 'freeing' || this._step.kind === 'waiting') {
      return;
    }
    this._set({ kind: 'freeing' });
    try {
      const args = { items: null, report_id: null };
      const released = await release(memory, args, releaseId => {
        this._set({ kind: 'waiting', releaseId });
      });
      const isCancelled = released.status === 'cancelled';
      this._set(isCancelled ? { kind: 'ready' } : { kind: 'done', released });
    } catch (reason) {
      this._set({ kind: 'failed', problem: sentenceOf(reason) });
    }
  }

  /** Take back a release that waits for a cell to end. */
  async cancel(memory: IKernelMemory): Promise<void> {
    if (this._step.kind === 'waiting') {
      const { releaseId } = this._step;
      // Refused when it has begun meanwhile: its result is on the way.
      await memory
        .request('cancel', { release_id: releaseId })
        .catch(() => undefined);
    }
  }

  /** Put a result away. */
  reset(): void {
    if (this._step.kind === 'done' || this._step.kind === 'failed') {
      this._set({ kind: 'ready' });
    }
  }

  private _set(step: FreeingStep): void {
    this._step = step;
    this._changed.emit();
  }

  private readonly _changed = new Signal<this, void>(this);
  private _step: FreeingStep = { kind: 'ready' };
}
