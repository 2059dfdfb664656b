/** Rows of the table of holders: pure functions of measurements. */
import {
  type HolderKind,
  HolderKindSchema,
  type IHeld,
  type IHeldPart,
  type IAllocationSite
} from '../protocol';

/** Columns that the table can be sorted by. */
export type Column = 'name' | 'kind' | 'size' | 'made';

/** The order of the rows. */
export interface ISorting {
  readonly column: Column;
  readonly isAscending: boolean;
}

/** A holder as shown in a row of the table. */
export interface IHolderRow {
  readonly held: IHeld;
  readonly name: string;
  readonly kind: string;
  /** The cell that allocated all of it: "In [4]", or empty. */
  readonly made: string;
}

/** Parts that differ only in name. */
export interface IPartGroup {
  /** The first part, representing all. */
  readonly part: IHeldPart;
  readonly count: number;
  readonly bytes: number;
}

/** Sort rows; rows that are equal in the sorted column, by size. */
export function sortRows(
  rows: readonly IHolderRow[],
  { column, isAscending }: ISorting
): IHolderRow[] {
  const direction = isAscending ? 1 : -1;
  const bySize = (a: IHolderRow, b: IHolderRow): number =>
    a.held.bytes - b.held.bytes;
  const compare = (a: IHolderRow, b: IHolderRow): number =>
    column === 'size'
      ? bySize(a, b)
      : a[column].localeCompare(b[column], undefined, { numeric: true });
  return [...rows].sort((a, b) => direction * compare(a, b) || bySize(b, a));
}

/**
 * The order after a click on a column title: reversed, or at first the largest or the
 * first letter on top.
 */
export function sortBy(sorting: ISorting, column: Column): ISorting {
  return sorting.column === column
    ? { column, isAscending: !sorting.isAscending }
    : { column, isAscending: column !== 'size' };
}

/** Group parts of the same kind, shape and origin, the largest group first. */
export function groupParts(parts: readonly IHeldPart[]): IPartGroup[] {
  const groups = new Map<string, IPartGroup>();
  for (const part of parts) {
    const { bytes, dtype, graph, kind, allocation_site: site, shape } = part;
    const key = JSON.stringify([bytes, dtype, graph, kind, site, shape]);
    const { count = 0, ...group } = groups.get(key) ?? { part, bytes: 0 };
    groups.set(key, {
      ...group,
      count: count + 1,
      bytes: group.bytes + bytes
    });
  }
  return [...groups.values()].sort((a, b) => b.bytes - a.bytes);
}

/** A segment of a row's bar. */
export interface ISegment {
  /** `outside` is unattributed memory. */
  readonly kind: HolderKind | 'outside';
  readonly bytes: number;
}

/**
 * Composition of a holder, in the order of the bar. Parts too many to list count as
 * tensors if the holder is mixed.
 */
export function segmentsOf({ bytes, kind, parts }: IHeld): ISegment[] {
  if (kind !== 'mixed') {
    return [{ kind, bytes }];
  }
  const sums = new Map<HolderKind, number>();
  let rest = bytes;
  for (const part of parts) {
    sums.set(part.kind, (sums.get(part.kind) ?? 0) + part.bytes);
    rest -= part.bytes;
  }
  sums.set('tensor', (sums.get('tensor') ?? 0) + Math.max(0, rest));
  return HolderKindSchema.options
    .map(option => ({ kind: option, bytes: sums.get(option) ?? 0 }))
    .filter(segment => segment.bytes > 0);
}

/** The cell that allocated all of a holder; `null` if there is no single one. */
export function siteOf({ parts }: IHeld): IAllocationSite | null {
  const [first] = parts.map(part => part.allocation_site);
  const isOne = parts.every(
    part => part.allocation_site?.execution_count === first?.execution_count
  );
  return isOne ? (first ?? null) : null;
}
