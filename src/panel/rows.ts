/**
 * The rows of the table of holders: pure functions of what was measured.
 */
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

/** What a row of the table shows of a holder. */
export interface IHolderRow {
  readonly held: IHeld;
  readonly name: string;
  readonly kind: string;
  /** The cell that made all of it: "In [4]", or empty. */
  readonly made: string;
}

/** Parts that differ in nothing but their name. */
export interface IPartGroup {
  /** The first one: it stands for all. */
  readonly part: IHeldPart;
  readonly count: number;
  readonly bytes: number;
}

/**
 * The rows in order; rows alike in the column that counts, by size.
 */
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
 * The order after a click on a column's title: the other way round, or at first
 * the largest or the first letter on top.
 */
export function sortBy(sorting: ISorting, column: Column): ISorting {
  return sorting.column === column
    ? { column, isAscending: !sorting.isAscending }
    : { column, isAscending: column !== 'size' };
}

/**
 * Parts alike in kind, shape and origin as one, the largest group first.
 */
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
  /** `outside` stands for what is not attributed. */
  readonly kind: HolderKind | 'outside';
  readonly bytes: number;
}

/**
 * What a holder consists of, in the order of the bar. Parts that were too many
 * to list count as tensors where the holder is mixed.
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
    .map(each => ({ kind: each, bytes: sums.get(each) ?? 0 }))
    .filter(segment => segment.bytes > 0);
}

/**
 * Where all of a holder was made, where that is one cell; else `null`.
 */
export function siteOf({ parts }: IHeld): IAllocationSite | null {
  const [first] = parts.map(part => part.allocation_site);
  const isOne = parts.every(
    part => part.allocation_site?.execution_count === first?.execution_count
  );
  return isOne ? (first ?? null) : null;
}
