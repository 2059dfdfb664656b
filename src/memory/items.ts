/**
 * The items of a plan: pure functions of what was measured.
 */
import type { IItem, IShared } from '../protocol';
import { MIB } from '../text/format';

/** Less than this is not worth a row. */
const SMALLEST_BYTES = 10 * MIB;

/** What a choice of items is expected to give. */
export interface IGain {
  /** In use before minus after. */
  readonly freed_bytes: number;
  /** Unused cache, which adds no headroom. */
  readonly returned_bytes: number;
}

/** Whether an item is worth a row; what takes something back always is. */
export function isListed({ kind, expected_bytes, safe }: IItem): boolean {
  return (
    kind === 'restore' ||
    (expected_bytes === null ? safe : expected_bytes >= SMALLEST_BYTES)
  );
}

/**
 * Whether an item goes with one of the others, which deletes its name: then
 * there is nothing left for it to do.
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
 * What items give together: what several of them count comes back once.
 *
 * At least, because what two names hold comes back only when both go.
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

/** The ids of items, as a request names them. */
export function idsOf(items: readonly IItem[]): string[] {
  return items.map(({ id }) => id);
}

/** Items that a person has to agree to. */
export function toConfirm(items: readonly IItem[]): IItem[] {
  return items.filter(({ safe }) => !safe);
}

/** The largest first; what is not measured last. */
export function bySize(items: readonly IItem[]): IItem[] {
  const size = ({ expected_bytes }: IItem): number => expected_bytes ?? -1;
  return [...items].sort((a, b) => size(b) - size(a));
}
