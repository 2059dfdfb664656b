import type {
  IGpuWorker,
  IFollowed,
  IFollowedWorkers,
  IWorkerGpu,
  IWorkerReleased
} from '../protocol';
import { gib, message } from './report';

/** A rank that trains, on the second GPU of this machine. */
export const RANK: IGpuWorker = {
  id: 'rank:4712',
  engine: 'rank',
  name: null,
  rank: 1,
  pid: 4712,
  state: 'live',
  age_s: 0.4,
  execution_count: 4,
  left_over: false,
  actions: ['end'],
  in_use_bytes: gib(9),
  cached_bytes: gib(0.5)
};

/** Its GPU. */
export const RANK_GPU: IWorkerGpu = {
  id: 'GPU-2',
  host: 'node1',
  index: 1,
  uuid: 'GPU-2',
  name: 'Tesla T4',
  simulated: false,
  capacity_bytes: gib(14.7),
  used_bytes: gib(9.8),
  in_use_bytes: gib(9),
  cached_bytes: gib(0.5),
  outside_bytes: gib(0.8),
  workers: [RANK],
  more_workers: 0
};

/** Two ranks of a cell, measured. */
export const RANKS: IFollowed = {
  engine: 'rank',
  total: 2,
  live: 2,
  state: 'measured',
  silent_s: null,
  message: null
};

/** Workers of Dask without a request to measure them. */
export const UNMEASURED: IFollowed = {
  ...RANKS,
  engine: 'dask',
  total: 40,
  live: 0,
  state: 'not_measured'
};

/** Workers of a notebook with two ranks. */
export const WORKERS: IFollowedWorkers = {
  engines: [RANKS],
  in_use_bytes: gib(15),
  fullest: RANK_GPU,
  here: [{ device_index: 0, workers: 2, bytes: gib(11) }]
};

/** The reading of ranks alone, with some fields changed. */
export function workersWith(
  change: Partial<IFollowedWorkers>
): IFollowedWorkers {
  return { ...WORKERS, ...change };
}

export const WORKER_RELEASED: IWorkerReleased = {
  type: 'worker_released',
  helper_id: 'helper-1',
  request_id: 'request-1',
  status: 'done',
  message: message('worker.freed', { freed_bytes: gib(1) })
};

/** Workers whose optional values are all unknown. */
export const UNKNOWN_WORKERS: IFollowedWorkers = {
  ...WORKERS,
  engines: [
    { ...RANKS, state: 'silent', silent_s: 12, message: message('silent') }
  ],
  fullest: {
    ...RANK_GPU,
    index: null,
    uuid: null,
    name: null,
    capacity_bytes: null,
    used_bytes: null,
    outside_bytes: null,
    workers: [
      {
        ...RANK,
        name: 'tcp://10.0.0.4:41007',
        rank: null,
        pid: null,
        execution_count: null
      }
    ]
  }
};
