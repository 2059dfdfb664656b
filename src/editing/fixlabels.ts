import type { IRemedy } from '../protocol';
import { isElsewhere, nameOf } from '../report/diff';
import type { IContext } from '../report/state';

/** Names of the cells and files that a remedy edits; `null`: only the failed cell. */
export function otherCells(
  { report }: IContext,
  { diffs }: IRemedy
): string | null {
  return isElsewhere(report, diffs) ? diffs.map(nameOf).join(', ') : null;
}
