import * as v from 'valibot';

import { event } from './envelope';
import { MessageSchema } from './message';
import { count, number } from './value';

/** Who sends work to processes other than the kernel. */
export type EngineName = v.InferOutput<typeof EngineNameSchema>;
export const EngineNameSchema = v.picklist([
  'command',
  'dask',
  'ipyparallel',
  'process',
  'rank',
  'ray'
]);

/** One engine that the notebook sends work to. */
export interface IFollowed extends v.InferOutput<typeof FollowedSchema> {}
export const FollowedSchema = v.object({
  engine: EngineNameSchema,
  /** Those that have ended not counted. */
  total: count,
  /** Of them those whose readings come. */
  live: count,
  /** `following`: the helper is on its way; `silent`: the engine does not answer. */
  state: v.picklist(['measured', 'not_measured', 'following', 'silent']),
  /** For how long it has not answered; `null`: it does. */
  silent_s: v.nullable(number),
  message: v.nullable(MessageSchema)
});

/** What can be done with a worker. */
export type WorkerAction = v.InferOutput<typeof WorkerActionSchema>;
export const WorkerActionSchema = v.picklist(['free', 'end']);

/** A worker on one card. */
export interface ICardWorker extends v.InferOutput<typeof CardWorkerSchema> {}
export const CardWorkerSchema = v.object({
  /** Names it in requests of this life. */
  id: v.string(),
  engine: EngineNameSchema,
  /** As the engine calls it; `null`: it has a rank only. */
  name: v.nullable(v.string()),
  rank: v.nullable(count),
  /** On its own host. */
  pid: v.nullable(count),
  /** `stale`: not heard of for a while, `ended`: its process is gone. */
  state: v.picklist(['live', 'stale', 'ended']),
  /** Since its last reading came. */
  age_s: number,
  /** Of the cell that started it. */
  execution_count: v.nullable(count),
  /** It outlives that cell. */
  left_over: v.boolean(),
  actions: v.array(WorkerActionSchema),
  in_use_bytes: count,
  cached_bytes: count
});

/** A GPU on which workers are: sums over those that have not ended. */
export interface IWorkerCard extends v.InferOutput<typeof WorkerCardSchema> {}
export const WorkerCardSchema = v.object({
  /** The same card has the same id, whatever engine tells of it. */
  id: v.string(),
  host: v.string(),
  /** As its first worker counts. */
  index: v.nullable(count),
  uuid: v.nullable(v.string()),
  name: v.nullable(v.string()),
  simulated: v.boolean(),
  capacity_bytes: v.nullable(count),
  used_bytes: v.nullable(count),
  in_use_bytes: count,
  cached_bytes: count,
  /** Used on the card, but by none of its workers. */
  outside_bytes: v.nullable(count),
  /** The largest first, at most 8. */
  workers: v.array(CardWorkerSchema),
  more_workers: count
});

/** The processes that the notebook sends its work to, in short. */
export interface IFollowedWorkers
  extends v.InferOutput<typeof FollowedWorkersSchema> {}
export const FollowedWorkersSchema = v.object({
  engines: v.array(FollowedSchema),
  /** By the frameworks of all that have not ended. */
  in_use_bytes: count,
  /** The card with the least headroom; `null`: none was measured. */
  fullest: v.nullable(WorkerCardSchema),
  /** What workers hold on the kernel's own GPUs: part of their outside. */
  here: v.array(v.object({ device_index: count, workers: count, bytes: count }))
});

/** What was done with a worker has ended. */
export interface IWorkerReleased
  extends v.InferOutput<typeof WorkerReleasedSchema> {}
export const WorkerReleasedSchema = event('worker_released', {
  request_id: v.string(),
  status: v.picklist(['done', 'nothing', 'refused', 'failed']),
  message: MessageSchema
});
