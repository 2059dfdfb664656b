import { formatPrompt } from '../format';
import type { IRemedy } from '../protocol';
import { own } from './own';
import type { IContext } from './state';

/** The words on the buttons of a fix; `null`: not to be offered. */
interface IFixLabels {
  apply: string;
  applyAndRun: string | null;
}

/**
 * The labels of a fix. One of another cell names all cells that it touches.
 */
export function fixLabels(context: IContext, remedy: IRemedy): IFixLabels {
  const { state, trans } = context;
  const elsewhere = otherCell(context, remedy);
  if (elsewhere === null) {
    return {
      apply: trans.__('Apply'),
      applyAndRun: trans.__('Apply and re-run')
    };
  }
  const run = own(state.runs, remedy.id);
  return {
    apply: trans.__('Apply to %1', elsewhere),
    applyAndRun: run
      ? trans.__('Apply to %1 and re-run %2', elsewhere, run.join(', '))
      : null
  };
}

/** The prompt of the cell that a remedy edits when it is not the failed one. */
function otherCell({ report }: IContext, { diff }: IRemedy): string | null {
  return diff === null || diff.cell_id === report.cell_id
    ? null
    : formatPrompt(diff.execution_count);
}

/**
 * The label that puts a fix in one press: what it sets, where that is known.
 */
export function shortFixLabel(
  context: IContext,
  remedy: IRemedy
): string | null {
  const setting = remedy.diff?.sets ?? null;
  return setting !== null && otherCell(context, remedy) === null
    ? context.trans.__('Set %1 and re-run', setting)
    : fixLabels(context, remedy).applyAndRun;
}
