import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';

import { Failed } from '../kernel/problem';
import type { Release, TaskStep } from '../kernel/task';
import { idsOf } from '../memory/items';
import { isBusy } from '../memory/model';
import { Observable } from '../observable';
import type { IItem, IReleased, RequestArgs } from '../protocol';
import type { IKernelMemory } from '../tokens';
import type { Checklist } from './checklist';

/** What the dialog shows. */
export type DialogStep =
  | { readonly kind: 'closed' }
  /** Why the last attempt came to nothing; `null`: there was none. */
  | { readonly kind: 'choosing'; readonly reason: unknown }
  /** A release is under way. */
  | { readonly kind: Exclude<TaskStep, 'ended'> }
  | {
      readonly kind: 'done';
      readonly released: IReleased;
      /** What it was expected to give; `null`: not measured before. */
      readonly expected_bytes: number | null;
    };

/** The session of a kernel, as far as the dialogue uses it. */
interface IReleasing {
  readonly memory: IKernelMemory;
  readonly checklist: Checklist;
  readonly changed: ISignal<unknown, void>;
  begin(args: RequestArgs<'release'>): Release;
  confirm(items: readonly IItem[]): Promise<string[] | null>;
  follow(release: Release): void;
}

/**
 * The dialogue of the popup: the choice, the wait, and the result in its place.
 *
 * A release goes on without the popup, and is told in a notification then.
 */
export class ReleaseDialog extends Observable {
  constructor(readonly session: IReleasing) {
    super();
    session.changed.connect(this.emit, this);
  }

  get step(): DialogStep {
    const kind = this._release?.step ?? 'ended';
    return kind === 'ended' ? this._step : { kind };
  }

  /**
   * Whether only the safe set can be freed: a cell runs, and nothing was
   * measured before it.
   */
  get isUnmeasured(): boolean {
    const { checklist, memory } = this.session;
    return checklist.items === null && isBusy(memory.state);
  }

  /** Show what can be freed. */
  open(): void {
    if (this.step.kind === 'closed') {
      this._before = this.session.checklist.choices;
      this._set({ kind: 'choosing', reason: null });
    }
  }

  /** Put the choice or the result away; a release goes on, and is told elsewhere. */
  close(): void {
    const release = this._release;
    this._release = null;
    if (release) {
      this.session.follow(release);
    }
    if (release || this.step.kind === 'choosing') {
      this._putBack();
    }
    if (this.step.kind !== 'closed') {
      this._set({ kind: 'closed' });
    }
  }

  /** Free what is chosen once the person agrees to its price. */
  async free(): Promise<void> {
    if (this.isUnmeasured) {
      await this._free(null, [], null);
      return;
    }
    const { chosen, gain } = this.session.checklist;
    const confirmed = await this.session.confirm(chosen);
    if (confirmed) {
      const expected_bytes = gain.isPartial ? null : gain.freed_bytes;
      await this._free(idsOf(chosen), confirmed, expected_bytes);
    }
  }

  /** Take back what was done: these items say how. Pressing is agreeing. */
  async undo(ids: readonly string[]): Promise<void> {
    await this._free([...ids], [...ids], null);
  }

  /** Take the release back, or end it at its next step. */
  async cancel(): Promise<void> {
    await this._release?.cancel();
  }

  private async _free(
    items: string[] | null,
    confirmed: string[],
    expected_bytes: number | null
  ): Promise<void> {
    if (this._release) {
      return;
    }
    const args = { items, confirmed, report_id: null };
    const release = this.session.begin(args);
    this._release = release;
    this._look(false);
    let step: DialogStep;
    try {
      const released = await release.ended;
      if (released.status === 'cancelled') {
        throw new Failed(released.message);
      }
      step = { kind: 'done', released, expected_bytes };
    } catch (reason) {
      step = { kind: 'choosing', reason };
    }
    if (release === this._release) {
      this._release = null;
      if (step.kind === 'done') {
        this._putBack();
      }
      this._set(step);
    }
  }

  /** What was chosen here holds for once. */
  private _putBack(): void {
    this.session.checklist.choices = this._before;
  }

  private _set(step: DialogStep): void {
    this._step = step;
    this._look(step.kind === 'choosing');
    this.emit();
  }

  /** What can be freed is measured while there is a choice. */
  private _look(isLooking: boolean): void {
    if (isLooking) {
      this._looking ??= this.session.checklist.plan.show(true);
    } else {
      this._looking?.dispose();
      this._looking = null;
    }
  }

  private _step: DialogStep = { kind: 'closed' };
  /** The release that is shown. */
  private _release: Release | null = null;
  private _looking: IDisposable | null = null;
  /** What was chosen when it opened. */
  private _before: ReadonlyMap<string, boolean> = new Map();
}
