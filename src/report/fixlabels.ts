import { isElsewhere, nameOf } from '../card/diff';
import type { IContext } from '../card/state';
import type { IRemedy } from '../protocol';
import { own } from '../text/own';

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
  const elsewhere = otherCells(context, remedy);
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

/** The names of what a remedy edits when the failed cell is not all. */
function otherCells({ report }: IContext, { diffs }: IRemedy): string | null {
  return isElsewhere(report, diffs) ? diffs.map(nameOf).join(', ') : null;
}

/**
 * The label that puts a fix in one press: what it sets, where that is known.
 */
export function shortFixLabel(
  context: IContext,
  remedy: IRemedy
): string | null {
  const setting = remedy.diffs[0]?.sets ?? null;
  return setting !== null && otherCells(context, remedy) === null
    ? context.trans.__('Set %1 and re-run', setting)
    : fixLabels(context, remedy).applyAndRun;
}
