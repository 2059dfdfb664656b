import type {
  IDryRun,
  IDryRunFit,
  IDryRunFound,
  IDryRunTry
} from '../protocol';
import { formatBytes } from '../text/format';
import { words } from '../text/messages';
import { own } from '../text/own';
import type { ITranslate } from '../text/translate';

/** The current step of a dry run, or why it ended; empty: it ended normally. */
export function describeDoing(
  { isGoing, step }: { isGoing: boolean; step: IDryRun | null },
  trans: ITranslate
): string {
  if (step?.message) {
    return words(trans).sentence(step.message);
  }
  return isGoing
    ? trans.__(
        'The dry run has started. It runs at low priority: beside a training on all cores it takes minutes.'
      )
    : '';
}

/** The largest batch that fits, by its name in the code; empty: unknown. */
export function describeLargest(
  { largest }: IDryRunFit,
  { batch }: IDryRunFound,
  trans: ITranslate
): string {
  return largest === null
    ? ''
    : trans.__('largest %1: %2', batch ?? '', largest);
}

/** Memory of a GPU that is left at the peak, or missing. */
export function describeFit(
  { fits, left_bytes }: IDryRunFit,
  trans: ITranslate
): string {
  if (left_bytes === null) {
    return trans.__('not known');
  }
  const size = formatBytes(Math.abs(left_bytes));
  if (left_bytes < 0) {
    return trans.__('%1 missing', size);
  }
  return fits === false
    ? trans.__('does not fit, though %1 are left', size)
    : trans.__('%1 left', size);
}

/** For each remedy the largest number that fits, else the last one that was tried. */
export function bestOf(
  tries: readonly IDryRunTry[]
): Record<string, IDryRunTry> {
  const best: Record<string, IDryRunTry> = {};
  for (const attempt of tries) {
    const before = own(best, attempt.remedy_id);
    if (
      !before?.fits ||
      (attempt.fits && (attempt.number ?? 0) > (before.number ?? 0))
    ) {
      best[attempt.remedy_id] = attempt;
    }
  }
  return best;
}
