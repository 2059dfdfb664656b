import { Measurement } from '../kernel/measurement';
import { gainOf, type IGain, isCovered, isListed } from '../memory/items';
import { Observable } from '../observable';
import type { IItem, IMessage } from '../protocol';
import type { IKernelMemory } from '../tokens';

/**
 * What can be freed in one kernel, as last measured, and what of it is chosen.
 */
export class Checklist extends Observable {
  /**
   * @param _isShared - whether another notebook uses the card: unused cache then
   *   helps it
   */
  constructor(
    memory: IKernelMemory,
    private readonly _isShared: () => boolean
  ) {
    super();
    this.plan = new Measurement(memory, 'plan');
    this.plan.changed.connect(this._onPlan, this);
  }

  /** It is measured while somebody looks. */
  readonly plan: Measurement<'plan'>;

  /** What is worth showing, in the order of freeing; `null`: not measured yet. */
  get items(): readonly IItem[] | null {
    return this._items;
  }

  /** Why not all was measured; `null`: it was. */
  get gap(): IMessage | null {
    const { last } = this.plan;
    return last?.complete === false ? last.message : null;
  }

  /** Why the plan is empty, where it is. */
  get obstacle(): IMessage | null {
    const { last } = this.plan;
    return last?.complete && last.items.length === 0 ? last.message : null;
  }

  /** What is checked and can be freed, but for what goes with another item. */
  get chosen(): IItem[] {
    const checked = (this.items ?? []).filter(item => this.isChosen(item));
    return checked.filter(item => !isCovered(item, checked));
  }

  /** What can be freed without anything that a person would miss. */
  get safe(): IItem[] {
    const { last } = this.plan;
    return (last?.items ?? []).filter(
      ({ blocked, kind, safe }) =>
        safe && blocked === null && kind !== 'restore'
    );
  }

  /** What the choice is expected to give. */
  get gain(): IGain {
    return this.gainOf(this.chosen);
  }

  /** The first item of the plan that is meant, whether worth showing or not. */
  find(isMeant: (item: IItem) => boolean): IItem | null {
    return this.plan.last?.items.find(isMeant) ?? null;
  }

  /** What items of the plan are expected to give together. */
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
   * The boxes that a person has checked or unchecked, by id. They stay so when
   * measured again; what is not among them is as proposed.
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

  /** Another life of the kernel has other items. */
  private _onPlan(): void {
    const { last } = this.plan;
    this._items = last?.items.filter(isListed) ?? null;
    this.choices = last ? this._choices : new Map<string, boolean>();
  }

  /** Asked for by each row of each render. */
  private _items: readonly IItem[] | null = null;
  private _choices: ReadonlyMap<string, boolean> = new Map();
}
