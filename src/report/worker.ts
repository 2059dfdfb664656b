import type { IReport } from '../protocol';
import { fill } from '../text/fill';
import type { IWords } from '../text/messages';

/** Location of a failure in another process, and how many other processes failed. */
export function whereItFailed(
  { trans }: IWords,
  { also_failed, origin, worker }: IReport
): string {
  if (worker === null) {
    return '';
  }
  const place = origin && {
    ...origin,
    execution_count: origin.execution_count ?? ' '
  };
  const { host, pid } = worker;
  return [
    place &&
      fill(
        trans.__(
          'It failed in `{function}`, In [{execution_count}], line {line}.'
        ),
        place
      ),
    pid !== null &&
      (host === null
        ? trans.__('Process %1.', pid)
        : trans.__('Process %1 on %2.', pid, host)),
    also_failed > 0 && trans.__('Others that failed with it: %1.', also_failed)
  ]
    .filter(Boolean)
    .join(' ');
}
