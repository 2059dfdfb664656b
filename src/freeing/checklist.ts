import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import { makePlan } from '../actions/plan';
import { lifeOf } from '../actions/work';
import { Occasions } from '../kernel/occasion';
import { Walk } from '../kernel/walk';
import type { IItem, IMessage, IPlan } from '../protocol';
import { sentenceOf } from '../reason';
import type { IKernelMemory } from '../tokens';
import { gainOf, type IGain, isCovered, isListed } from './items';

/** Where the measurement of what can be freed stands. */
export type Measured =
  | { readonly kind: 'no' }
  | { readonly kind: 'asked' }
  | { readonly kind: 'yes' }
  | { readonly kind: 'failed'; readonly problem: string };

/**
 * What can be freed in one kernel, as last measured, and what of it is chosen.
 *
 * It is measured while somebody looks. The one who shows it disposes it.
 */
export class Checklist implements IDisposable {
  /**
   * @param memory - of the kernel
   * @param _isAsked - a person has pressed to see it: the first measurement may
   *   take long
   */
  constructor(
    readonly memory: IKernelMemory,
    private _isAsked = false
  ) {
    this._life = lifeOf(memory);
    memory.stateChanged.connect(this._onState, this);
    this.walk = new Walk(memory, () => {
      this._changed.emit();
    });
    this._occasions = new Occasions(
      memory,
      () => void this.measure(this._isAsked),
      () => this._items !== null || this._measured.kind === 'asked'
    );
  }

  /** The measurement that a person waits for. */
  readonly walk: Walk;

  /** What is worth showing, in the order of freeing; `null`: not measured yet. */
  get items(): readonly IItem[] | null {
    return this._items;
  }

  /** Why not all was measured; `null`: it was. */
  get gap(): IMessage | null {
    return this._plan?.complete === false ? this._plan.message : null;
  }

  /** Why the plan is empty, where it is. */
  get obstacle(): IMessage | null {
    return this._plan?.complete && this._plan.items.length === 0
      ? this._plan.message
      : null;
  }

  get measured(): Measured {
    return this._measured;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._occasions.isDisposed;
  }

  /** What is checked and can be freed, but for what goes with another item. */
  get chosen(): IItem[] {
    const checked = (this._items ?? []).filter(item => this.isChosen(item));
    return checked.filter(item => !isCovered(item, checked));
  }

  /** What the choice is expected to give. */
  get gain(): IGain {
    return this.gainOf(this.chosen);
  }

  /** Whether somebody looks. */
  set isShown(isShown: boolean) {
    this._occasions.isShown = isShown;
  }

  /** Whether another notebook uses the card: unused cache then helps it. */
  set isShared(isShared: boolean) {
    if (isShared !== this._isShared) {
      this._isShared = isShared;
      this._changed.emit();
    }
  }

  /** The first item of the plan that is meant, whether worth showing or not. */
  find(isMeant: (item: IItem) => boolean): IItem | null {
    return this._plan?.items.find(isMeant) ?? null;
  }

  /** What items of the plan are expected to give together. */
  gainOf(items: readonly IItem[]): IGain {
    return gainOf(items, this._plan?.shared ?? []);
  }

  /** Whether the box of an item is checked. */
  isChosen(item: IItem): boolean {
    const isProposed =
      item.selected || (item.kind === 'cache' && this._isShared);
    const isPossible = item.blocked === null && item.kind !== 'restore';
    return isPossible && (this._choices.get(item.id) ?? isProposed);
  }

  /** Check or uncheck a box; it stays so when measured again. */
  choose(id: string, isChosen: boolean): void {
    this._choices.set(id, isChosen);
    this._changed.emit();
  }

  /** Back to what is proposed. */
  reset(): void {
    this._choices.clear();
    this._changed.emit();
  }

  /**
   * Measure now, or when the running cell ends.
   *
   * @param asked - whether a person asked for it: then it may take long
   */
  async measure(asked: boolean): Promise<void> {
    const life = this._life;
    const { lastReleased } = this.memory.state;
    this._isAsked = false;
    this._occasions.met();
    this._set({ kind: 'asked' });
    try {
      this._plan = await makePlan(this.memory, asked, id => {
        this.walk.begin(id);
      });
      this.walk.end();
      this._items = this._plan.items.filter(isListed);
      // It is of before a release that came meanwhile.
      if (this.memory.state.lastReleased === lastReleased) {
        this._occasions.met();
      }
      this._set({ kind: 'yes' });
    } catch (reason) {
      // Another life has its own measurement.
      if (life === this._life) {
        this.walk.end();
        this._set({ kind: 'failed', problem: sentenceOf(reason) });
      }
    }
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._occasions.dispose();
    this.walk.dispose();
    Signal.clearData(this);
  }

  private _onState(): void {
    const life = lifeOf(this.memory);
    if (life !== null && life !== this._life) {
      this._life = life;
      this._plan = null;
      this._items = null;
      this._choices.clear();
      this.walk.end();
      this._set({ kind: 'no' });
    }
  }

  private _set(measured: Measured): void {
    this._measured = measured;
    this._changed.emit();
  }

  private readonly _occasions: Occasions;
  private readonly _changed = new Signal<this, void>(this);
  private readonly _choices = new Map<string, boolean>();
  private _life: string | null;
  private _plan: IPlan | null = null;
  private _items: readonly IItem[] | null = null;
  private _measured: Measured = { kind: 'no' };
  private _isShared = false;
}
