import { type Cell, CodeCell } from '@jupyterlab/cells';

import type { ICell } from '../protocol';

/**
 * Ids of the items that a cell left behind: the error of its last run and the value
 * that it displayed. Empty if there are neither.
 *
 * Outputs and their numbers are saved with the notebook, and may be from an earlier
 * kernel: in this one `Out[2]` is the value of whichever cell ran as `In [2]`, and the
 * stored error is that of the last cell that failed. They belong to this cell only if
 * the running helper reports that.
 *
 * @param runs - the runs that this helper reported, oldest first
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
  const own = (isMeant: (run: ICell) => boolean): ICell | null => {
    const last = [...runs].reverse().find(isMeant);
    return last?.cell_id === id ? last : null;
  };
  const failed = types.includes('error') ? own(hasFailed) : null;
  const displayed =
    executionCount !== null && types.includes('execute_result')
      ? own(({ execution_count }) => execution_count === executionCount)
      : null;
  return [
    ...(failed ? ['traceback'] : []),
    ...(displayed?.output_id ? [displayed.output_id] : [])
  ];
}

function hasFailed({ status }: ICell): boolean {
  return status === 'error' || status === 'oom';
}
