/** Runs of a notebook's cells. */
import type { ICell } from '../protocol';
import { crc32 } from './crc32';

/** The runs of each cell, oldest first. */
export function byCell(
  runs: readonly ICell[]
): ReadonlyMap<string | null, readonly ICell[]> {
  const found = new Map<string | null, ICell[]>();
  for (const run of runs) {
    const cells = found.get(run.cell_id);
    if (cells) {
      cells.push(run);
    } else {
      found.set(run.cell_id, [run]);
    }
  }
  return found;
}

/**
 * Whether the last run was of other code than this: the cell was edited since, or
 * split.
 */
export function hasRunOther(runs: readonly ICell[], source: string): boolean {
  const ran = runs[runs.length - 1]?.source_crc32 ?? null;
  return ran !== null && ran !== crc32(source);
}
