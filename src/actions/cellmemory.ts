import { type Cell, CodeCell } from '@jupyterlab/cells';

/**
 * Ids of what a cell left behind: the error of its last run and the value that
 * it displayed. Empty where it left neither.
 */
export function leftBehind(cell: Cell | null): string[] {
  if (!(cell instanceof CodeCell)) {
    return [];
  }
  const { executionCount, outputs } = cell.model;
  const types = Array.from(
    { length: outputs.length },
    (_, index) => outputs.get(index).type
  );
  const isShown = executionCount !== null && types.includes('execute_result');
  return [
    ...(types.includes('error') ? ['traceback'] : []),
    ...(isShown ? [`output:${executionCount}`] : [])
  ];
}
