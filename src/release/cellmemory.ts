import { type Cell, CodeCell } from '@jupyterlab/cells';

import type { ICell } from '../protocol';

/**
 * Ids of what a cell left behind: the error of its last run and the value that
 * it displayed. Empty where it left neither.
 *
 * Outputs and their numbers are saved with the notebook, and an earlier kernel
 * may have made them: in this one `Out[2]` is the value of whichever cell ran
 * as `In [2]`, and the remembered error that of the last cell that failed. They
 * are this cell's own only where the live helper says so.
 *
 * @param runs - the runs of this life that the helper told of, oldest first
 */
export function leftBehind(
  cell: Cell | null,
  runs: readonly ICell[]
): string[] {
  if (!(cell instanceof CodeCell)) {
    return [];
  }
  const { executionCount, id, outputs } = cell.model;
  const types = Array.from(
    { length: outputs.length },
    (_, index) => outputs.get(index).type
  );
  const isOwn = (isMeant: (run: ICell) => boolean): boolean =>
    [...runs].reverse().find(isMeant)?.cell_id === id;
  const hasError = types.includes('error') && isOwn(hasFailed);
  const hasValue =
    executionCount !== null &&
    types.includes('execute_result') &&
    isOwn(({ execution_count }) => execution_count === executionCount);
  return [
    ...(hasError ? ['traceback'] : []),
    ...(hasValue ? [`output:${executionCount}`] : [])
  ];
}

function hasFailed({ status }: ICell): boolean {
  return status === 'error' || status === 'oom';
}
