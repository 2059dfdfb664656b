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
