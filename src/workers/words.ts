/** Texts of the section of workers. */
import type { TranslationBundle } from '@jupyterlab/translation';

import { formatAge } from '../memory/readingwords';
import { countWorkers } from '../memory/workerwords';
import type { IGpuWorker, IFollowed } from '../protocol';
import { formatBytes, formatPrompt } from '../text/format';
import { nameWorker } from '../text/names';
import type { IWorkerTask } from './workers';

/**
 * Display name of a worker on a GPU: its engine's name for it, else its number or its
 * process.
 */
export function nameGpuWorker(
  worker: IGpuWorker,
  trans: TranslationBundle
): string {
  const { name, pid, rank } = worker;
  if (name !== null) {
    return name;
  }
  return rank === null && pid !== null
    ? trans.__('process %1', pid)
    : nameWorker(worker, trans);
}

/** State of the workers of an engine; empty if the list of their GPUs says it all. */
export function describeEngine(
  { engine, live, silent_s, state, total }: IFollowed,
  trans: TranslationBundle
): string {
  // The number of Ray workers is unknown before they are measured.
  const name =
    total > 0
      ? countWorkers({ engine, count: total }, trans)
      : trans.__('Workers of %1', engine);
  switch (state) {
    case 'not_measured':
      return trans.__('%1: not measured.', name);
    case 'following':
      return trans.__('%1: starting the helper there…', name);
    case 'silent':
      return trans.__(
        '%1: no answer for %2 s.',
        name,
        Math.round(silent_s ?? 0)
      );
    case 'measured':
      if (live < total) {
        return trans.__('%1, %2 of them measured.', name, live);
      }
      return engine === 'rank' ? '' : trans.__('%1: measured.', name);
  }
}

/** "ended, 12 s ago", "still running after In [4]"; else the cell that started it. */
export function describeState(
  { age_s, execution_count, left_over, state }: IGpuWorker,
  trans: TranslationBundle
): string {
  const age = formatAge(age_s * 1000, trans);
  const prompt = execution_count === null ? '' : formatPrompt(execution_count);
  switch (state) {
    case 'ended':
      return trans.__('ended, %1', age);
    case 'stale':
      return trans.__('last answer %1', age);
    case 'live':
      return left_over && prompt
        ? trans.__('still running after %1', prompt)
        : prompt;
  }
}

/** Process of a worker, and its cached memory. */
export function describeProcess(
  { cached_bytes, pid }: IGpuWorker,
  host: string,
  trans: TranslationBundle
): string {
  return [
    pid !== null && trans.__('Process %1 on %2.', pid, host),
    cached_bytes > 0 &&
      trans.__('Cached, unused: %1.', formatBytes(cached_bytes))
  ]
    .filter(Boolean)
    .join(' ');
}

/** The action in progress. */
export function describeTask(
  { action, name }: IWorkerTask,
  trans: TranslationBundle
): string {
  return action === 'free'
    ? trans.__('Freeing memory of %1…', name)
    : trans.__('Ending %1…', name);
}
