import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import { release } from '../actions/release';
import { cancel } from '../kernel/cancel';
import { isBusy } from '../kernel/model';
import type { IItem, IReleased } from '../protocol';
import { sentenceOf } from '../reason';
import type { IKernelMemory } from '../tokens';
import { Checklist } from './checklist';
import { toConfirm } from './items';

/** How far freeing has come. */
export type FreeingStep =
  | { readonly kind: 'closed' }
  /** A problem is why the last attempt came to nothing. */
  | { readonly kind: 'choosing'; readonly problem: string }
  | { readonly kind: 'freeing' }
  | { readonly kind: 'waiting'; readonly releaseId: string }
  | {
      readonly kind: 'done';
      readonly released: IReleased;
      /** What it was expected to give; `null`: not measured before. */
      readonly expected_bytes: number | null;
    };

/** Asks a person for the price of items; resolves to whether they agree. */
export type Confirm = (items: readonly IItem[]) => Promise<boolean>;

/**
 * Frees in one kernel, from the choice of items to the result.
 *
 * Lives as long as its kernel: a release goes on without the popup.
 */
export class Freeing implements IDisposable {
  /** @param _isShared - whether another notebook is known to use the card */
  constructor(
    readonly memory: IKernelMemory,
    private readonly _confirm: Confirm,
    private readonly _isShared: () => boolean
  ) {
    this.checklist = new Checklist(memory, true);
    this.checklist.changed.connect(this._onChecklist, this);
    memory.disposed.connect(this.dispose, this);
  }

  readonly checklist: Checklist;

  get step(): FreeingStep {
    return this._step;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this.checklist.isDisposed;
  }

  /**
   * Whether only the safe set can be freed: a cell runs, and nothing was
   * measured before it.
   */
  get isUnmeasured(): boolean {
    return this.checklist.items === null && isBusy(this.memory.state);
  }

  /** Show what can be freed. */
  open(): void {
    if (this._step.kind === 'closed') {
      this.checklist.reset();
      this.checklist.isShared = this._isShared();
      this._set({ kind: 'choosing', problem: '' });
    }
  }

  /** Put the choice or the result away; a release goes on. */
  close(): void {
    if (this._step.kind === 'choosing' || this._step.kind === 'done') {
      this._set({ kind: 'closed' });
    }
  }

  /** Free what is chosen once the person agrees to its price. */
  async free(): Promise<void> {
    if (this.isUnmeasured) {
      await this._release(null, [], null);
      return;
    }
    const { chosen, gain } = this.checklist;
    const prices = toConfirm(chosen);
    if (prices.length > 0 && !(await this._confirm(prices))) {
      return;
    }
    await this._release(
      chosen.map(({ id }) => id),
      prices.map(({ id }) => id),
      gain.isPartial ? null : gain.freed_bytes
    );
  }

  /** Take back what was done: these items say how. Pressing is agreeing. */
  async undo(ids: readonly string[]): Promise<void> {
    await this._release([...ids], [...ids], null);
  }

  /** Take back a release that waits for a cell to end. */
  async cancel(): Promise<void> {
    if (this._step.kind === 'waiting') {
      await cancel(this.memory, this._step.releaseId);
    }
  }

  dispose(): void {
    this.checklist.dispose();
    Signal.clearData(this);
  }

  private async _release(
    items: string[] | null,
    confirmed: string[],
    expected_bytes: number | null
  ): Promise<void> {
    if (this._step.kind === 'freeing' || this._step.kind === 'waiting') {
      return;
    }
    this._set({ kind: 'freeing' });
    try {
      const args = { items, confirmed, report_id: null };
      const released = await release(this.memory, args, releaseId => {
        this._set({ kind: 'waiting', releaseId });
      });
      const isCancelled = released.status === 'cancelled';
      this._set(
        isCancelled
          ? { kind: 'closed' }
          : { kind: 'done', released, expected_bytes }
      );
    } catch (reason) {
      this._set({ kind: 'choosing', problem: sentenceOf(reason) });
    }
  }

  private _onChecklist(): void {
    this._changed.emit();
  }

  private _set(step: FreeingStep): void {
    this._step = step;
    this.checklist.isShown = step.kind === 'choosing';
    this._changed.emit();
  }

  private readonly _changed = new Signal<this, void>(this);
  private _step: FreeingStep = { kind: 'closed' };
}
