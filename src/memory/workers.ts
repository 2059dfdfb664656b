/**
 * What follows from what is told of workers: the processes that a notebook sends its
 * work to.
 */
import type { EngineName, IDevice, IWorkerCard } from '../protocol';
import { fullest } from './level';
import { staleness } from './model';
import type { IMemoryState } from './state';

/** Workers of one kind, and how many they are. */
export interface ICounted {
  readonly engine: EngineName;
  readonly count: number;
}

/** What a gauge shows of workers that are measured. */
export interface IWorkersReading {
  readonly workers: readonly ICounted[];
  /** Their fullest card; `null`: not measured. */
  readonly card: IWorkerCard | null;
  /** Whether that is fuller than all of the kernel's own. */
  readonly isFuller: boolean;
  /** The kernel itself has nothing on a GPU. */
  readonly isAlone: boolean;
}

/**
 * Read of a kernel's workers what a gauge shows; `null` where none live that are
 * measured, or where that was too long ago.
 *
 * @param now - milliseconds of this page's clock
 */
export function readWorkers(
  state: IMemoryState,
  now: number
): IWorkersReading | null {
  const { sample } = state;
  const { engines = [], fullest: card = null } = sample?.workers ?? {};
  const workers = engines
    .filter(({ live }) => live > 0)
    .map(({ engine, total }) => ({ engine, count: total }));
  if (!sample || workers.length === 0 || staleness(state, now) !== null) {
    return null;
  }
  const own = sample.state === 'live' ? fullest(sample.devices) : null;
  const isFuller =
    card !== null && (percentOf(card) ?? 0) > ((own && percentOf(own)) ?? 0);
  return { workers, card, isFuller, isAlone: own === null };
}

/** How full a card is, in whole percent; `null`: not measured. */
export function percentOf({
  capacity_bytes,
  used_bytes
}: Pick<IDevice, 'capacity_bytes' | 'used_bytes'>): number | null {
  return used_bytes === null || !capacity_bytes
    ? null
    : Math.round((100 * used_bytes) / capacity_bytes);
}
