import type { IReport, IWorker } from '../protocol';
import { fill } from '../text/fill';
import type { IWords } from '../text/messages';
import type { ITranslate } from '../text/translate';

/** "rank 1": the process that ran out, as the title has it. */
export function nameWorker(
  { engine, rank }: IWorker,
  trans: ITranslate
): string {
  if (rank !== null) {
    return engine === 'ipyparallel'
      ? trans.__('engine %1', rank)
      : trans.__('rank %1', rank);
  }
  switch (engine) {
    case 'dask':
      return trans.__('a Dask worker');
    case 'ray':
      return trans.__('a Ray worker');
    case 'command':
      return trans.__('a process of this cell');
    default:
      return trans.__('another process');
  }
}

/** Where the work failed that was sent to another process, and with how many others. */
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
