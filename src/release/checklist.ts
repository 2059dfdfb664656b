import { Measurement } from '../kernel/measurement';
import { gainOf, type IGain, isCovered, isListed } from '../memory/items';
import { Observable } from '../observable';
import type { IItem, IMessage } from '../protocol';
import type { IKernelMemory } from '../tokens';

/**
 * The items that can be freed in one kernel, as last measured, with the user's
 * selection.
 */
export class Checklist extends Observable {
  /**
   * @param _isShared - whether another notebook uses the GPU, to which freeing unused
   *   cache is useful
   */
  constructor(
    memory: IKernelMemory,
    private readonly _isShared: () => boolean
  ) {
    super();
    this.plan = new Measurement(memory, 'plan');
    this.plan.changed.connect(this._onPlan, this);
  }

  /** Measured while it is displayed. */
  readonly plan: Measurement<'plan'>;

  /** The items worth a row, in the order of freeing; `null`: not measured yet. */
  get items(): readonly IItem[] | null {
    return this._items;
  }

  /** Why the measurement is incomplete; `null`: it is complete. */
  get gap(): IMessage | null {
    const { last } = this.plan;
    return last?.complete === false ? last.message : null;
  }

  /** Why the plan is empty; `null` if it is not. */
  get obstacle(): IMessage | null {
    const { last } = this.plan;
    return last?.complete && last.items.length === 0 ? last.message : null;
  }

  /** Items that are checked and can be freed, except those covered by another item. */
  get chosen(): IItem[] {
    const checked = (this.items ?? []).filter(item => this.isChosen(item));
    return checked.filter(item => !isCovered(item, checked));
  }

  /** Items that can be freed without losing anything that the user would miss. */
  get safe(): IItem[] {
    const { last } = this.plan;
    return (last?.items ?? []).filter(
      ({ blocked, kind, safe }) =>
        safe && blocked === null && kind !== 'restore'
    );
  }

  /** Expected result of the selection. */
  get gain(): IGain {
    return this.gainOf(this.chosen);
  }

  /** The first item of the plan that matches, whether or not it is worth a row. */
  find(isMeant: (item: IItem) => boolean): IItem | null {
    return this.plan.last?.items.find(isMeant) ?? null;
  }

  /** Expected result of freeing items of the plan together. */
  gainOf(items: readonly IItem[]): IGain {
    return gainOf(items, this.plan.last?.shared ?? []);
  }

  /** Whether the box of an item is checked. */
  isChosen({ blocked, id, kind, selected }: IItem): boolean {
    const isProposed = selected || (kind === 'cache' && this._isShared());
    const isPossible = blocked === null && kind !== 'restore';
    return isPossible && (this._choices.get(id) ?? isProposed);
  }

  /**
   * The boxes that the user has checked or unchecked, by id. They are kept after
   * another measurement; other items have their proposed state.
   */
  get choices(): ReadonlyMap<string, boolean> {
    return this._choices;
  }

  set choices(choices: ReadonlyMap<string, boolean>) {
    this._choices = choices;
    this.emit();
  }

  /** Check or uncheck a box. */
  choose(id: string, isChosen: boolean): void {
    this.choices = new Map([...this._choices, [id, isChosen]]);
  }

  override dispose(): void {
    this.plan.dispose();
    super.dispose();
  }

  /** Discard the selection of another helper, which has other items. */
  private _onPlan(): void {
    const { last } = this.plan;
    this._items = last?.items.filter(isListed) ?? null;
    this.choices = last ? this._choices : new Map<string, boolean>();
  }

  /** Cached, since each row of each render reads it. */
  private _items: readonly IItem[] | null = null;
  private _choices: ReadonlyMap<string, boolean> = new Map();
}
