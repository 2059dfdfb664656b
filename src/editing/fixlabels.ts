import { isElsewhere, nameOf } from '../card/diff';
import type { IContext } from '../card/state';
import type { IRemedy } from '../protocol';

/** Names of the cells and files that a remedy edits; `null`: only the failed cell. */
export function otherCells(
  { report }: IContext,
  { diffs }: IRemedy
): string | null {
  return isElsewhere(report, diffs) ? diffs.map(nameOf).join(', ') : null;
}
