/**
 * Workers in words.
 */
import type { IDevice, IWorkerGpu } from '../protocol';
import { formatPair } from '../text/format';
import { nameSize, numberDevice } from '../text/names';
import type { ICountingTranslate, ITranslate } from '../text/translate';
import type { IMemoryState } from './state';
import { type ICounted, type IWorkersReading, percentOf } from './workers';

/** "2 ranks", "40 Dask workers". */
export function countWorkers(
  { count, engine }: ICounted,
  trans: ICountingTranslate
): string {
  switch (engine) {
    case 'rank':
      return trans._n('%1 rank', '%1 ranks', count);
    case 'dask':
      return trans._n('%1 Dask worker', '%1 Dask workers', count);
    case 'ray':
      return trans._n('%1 Ray worker', '%1 Ray workers', count);
    case 'ipyparallel':
      return trans._n('%1 engine', '%1 engines', count);
    case 'command':
    case 'process':
      return trans._n('%1 process', '%1 processes', count);
  }
}

/** All workers of a notebook: by their kind, if there is only one. */
export function countAll(
  workers: readonly ICounted[],
  trans: ICountingTranslate
): string {
  const [first, ...rest] = workers;
  if (first && rest.length === 0) {
    return countWorkers(first, trans);
  }
  const count = workers.reduce((sum, worker) => sum + worker.count, 0);
  return trans._n('%1 worker', '%1 workers', count);
}

/** Text of the gauge on workers: "2 ranks · fullest worker 93%". */
export function gaugeOf(
  { gpu, isAlone, isFuller, workers }: IWorkersReading,
  trans: ICountingTranslate
): string {
  const counted = countAll(workers, trans);
  const percent = gpu && percentOf(gpu);
  if (percent === null || !isFuller) {
    return counted;
  }
  return isAlone
    ? trans.__('%1 · fullest %2%', counted, percent)
    : trans.__('%1 · fullest worker %2%', counted, percent);
}

/** Text of the gauge on workers as a sentence, which names the GPU. */
export function describeWorkers(
  { gpu, workers }: IWorkersReading,
  trans: ICountingTranslate
): string {
  const counted = countAll(workers, trans);
  return gpu
    ? trans.__(
        'This notebook sends work to %1; the fullest of their GPUs is %2: %3 used.',
        counted,
        placeOf(gpu, trans),
        describeUse(gpu, trans)
      )
    : trans.__('This notebook sends work to %1.', counted);
}

/** "GPU 1", or if it is on another machine, "GPU 1, node7". */
export function placeOf(gpu: IWorkerGpu, trans: ITranslate): string {
  return isElsewhere(gpu)
    ? `${nameGpu(gpu, trans)}, ${gpu.host}`
    : nameGpu(gpu, trans);
}

/** "GPU 1"; the device's model name if it has no index. */
export function nameGpu(
  { index, name, simulated }: IWorkerGpu,
  trans: ITranslate
): string {
  return index === null
    ? (name ?? trans.__('GPU'))
    : numberDevice({ index, simulated }, trans);
}

/**
 * Whether a GPU may be on another machine: processes started by the kernel are on its
 * own.
 */
function isElsewhere({ workers }: IWorkerGpu): boolean {
  return !workers.some(({ engine }) =>
    ['command', 'process', 'rank'].includes(engine)
  );
}

/** "9.8 of 14.7 GiB"; unknown sizes are shown as not measured. */
export function describeUse(
  { capacity_bytes, used_bytes }: IWorkerGpu,
  trans: ITranslate
): string {
  return used_bytes === null || capacity_bytes === null
    ? nameSize(used_bytes, trans)
    : formatPair(used_bytes, capacity_bytes, trans.__(' of '));
}

/** Memory that workers use on a device of the kernel; `null`: none, or not measured. */
export function workersOn(
  { index }: IDevice,
  { sample }: IMemoryState,
  trans: ICountingTranslate
): { name: string; bytes: number } | null {
  const here = sample?.workers?.here ?? [];
  const share = here.find(({ device_index }) => device_index === index);
  return share
    ? {
        name: trans._n(
          'of it, %1 worker of this notebook',
          'of it, %1 workers of this notebook',
          share.workers
        ),
        bytes: share.bytes
      }
    : null;
}
