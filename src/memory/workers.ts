/** Readings of workers: the processes that a notebook sends its work to. */
import type { EngineName, IDevice, IWorkerGpu } from '../protocol';
import { fullest } from './level';
import { staleness } from './model';
import type { IMemoryState } from './state';

/** Workers of one kind, with their number. */
export interface ICounted {
  readonly engine: EngineName;
  readonly count: number;
}

/** Reading of measured workers, as a gauge shows it. */
export interface IWorkersReading {
  readonly workers: readonly ICounted[];
  /** Their fullest GPU; `null`: not measured. */
  readonly gpu: IWorkerGpu | null;
  /** Whether that GPU is fuller than all of the kernel's own. */
  readonly isFuller: boolean;
  /** The kernel itself uses no GPU memory. */
  readonly isAlone: boolean;
}

/**
 * Derive what a gauge shows of a kernel's workers; `null` if no worker is running and
 * measured, or the measurement is too old.
 *
 * @param now - milliseconds of this page's clock
 */
export function readWorkers(
  state: IMemoryState,
  now: number
): IWorkersReading | null {
  const { sample } = state;
  const { engines = [], fullest: gpu = null } = sample?.workers ?? {};
  const workers = engines
    .filter(({ live }) => live > 0)
    .map(({ engine, total }) => ({ engine, count: total }));
  if (!sample || workers.length === 0 || staleness(state, now) !== null) {
    return null;
  }
  const own = sample.state === 'live' ? fullest(sample.devices) : null;
  const isFuller =
    gpu !== null && (percentOf(gpu) ?? 0) > ((own && percentOf(own)) ?? 0);
  return { workers, gpu, isFuller, isAlone: own === null };
}

/** Use of a GPU in whole percent; `null`: not measured. */
export function percentOf({
  capacity_bytes,
  used_bytes
}: Pick<IDevice, 'capacity_bytes' | 'used_bytes'>): number | null {
  return used_bytes === null || !capacity_bytes
    ? null
    : Math.round((100 * used_bytes) / capacity_bytes);
}
