/** The items of a plan: pure functions of measurements. */
import type { IItem, IShared } from '../protocol';
import { MIB } from '../text/format';

/** Minimum size of an item worth a row. */
const SMALLEST_BYTES = 10 * MIB;

/** Expected result of freeing a selection of items. */
export interface IGain {
  /** In use before minus after. */
  readonly freed_bytes: number;
  /** Unused cache, which adds no headroom. */
  readonly returned_bytes: number;
}

/** Whether an item gets a row; items that undo something always do. */
export function isListed({ kind, expected_bytes, safe }: IItem): boolean {
  return (
    kind === 'restore' ||
    (expected_bytes === null ? safe : expected_bytes >= SMALLEST_BYTES)
  );
}

/**
 * Whether another item deletes the name of this one, which leaves this one without
 * effect.
 */
export function isCovered(
  { name, names }: IItem,
  others: readonly IItem[]
): boolean {
  return (
    name !== null &&
    names.length === 0 &&
    others.some(other => other.names.includes(name))
  );
}

/**
 * Expected result of freeing items together; memory that several of them include is
 * freed once.
 *
 * A lower bound, since memory that two names retain is freed only when both go.
 */
export function gainOf(
  items: readonly IItem[],
  shared: readonly IShared[]
): IGain {
  const sum = (addsHeadroom: boolean): number =>
    items
      .filter(({ adds_headroom }) => adds_headroom === addsHeadroom)
      .reduce((total, { expected_bytes }) => total + (expected_bytes ?? 0), 0);
  const repeated = shared.reduce((total, { ids, bytes }) => {
    const count = items.filter(({ id }) => ids.includes(id)).length;
    return total + bytes * Math.max(0, count - 1);
  }, 0);
  return {
    freed_bytes: Math.max(0, sum(true) - repeated),
    returned_bytes: sum(false)
  };
}

/** Ids of items, as used in requests. */
export function idsOf(items: readonly IItem[]): string[] {
  return items.map(({ id }) => id);
}

/** Items that the user has to confirm. */
export function toConfirm(items: readonly IItem[]): IItem[] {
  return items.filter(({ safe }) => !safe);
}

/** Sort items by size, largest first, unmeasured ones last. */
export function bySize(items: readonly IItem[]): IItem[] {
  const size = ({ expected_bytes }: IItem): number => expected_bytes ?? -1;
  return [...items].sort((a, b) => size(b) - size(a));
}
