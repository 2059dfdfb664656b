import * as v from 'valibot';

import { CellSchema, OomSchema } from './cell';
import { DryRunSchema } from './dryrun';
import { event } from './envelope';
import { HoldersSchema, PathSchema, SnapshotSchema } from './holders';
import { DeviceSchema, HostMemorySchema, TrendSchema } from './memory';
import { MessageSchema } from './message';
import {
  CleanupSchema,
  PlanSchema,
  ReleasedSchema,
  RerunSchema
} from './release';
import { RescueSchema } from './report';
import { count, number } from './value';
import { FollowedWorkersSchema, WorkerReleasedSchema } from './workers';

/** The helper lives. */
export interface IHello extends v.InferOutput<typeof HelloSchema> {}
export const HelloSchema = event('hello', {
  /** `major.minor`; the major must match. */
  protocol_version: v.string(),
  helper_version: v.string(),
  /** All events of this life come as comm messages with this id. */
  comm_id: v.string(),
  installed: v.boolean(),
  /** True: requests are answered on the control channel. */
  control: v.boolean()
});

/** One reading. */
export interface ISample extends v.InferOutput<typeof SampleSchema> {}
export const SampleSchema = event('sample', {
  seq: count,
  time_s: number,
  /** Why `devices` is empty when it is. */
  state: v.picklist(['no_framework', 'not_initialised', 'no_gpu', 'live']),
  busy: v.boolean(),
  /** Also of the driver, where it could be asked without starting a framework. */
  devices: v.array(DeviceSchema),
  host: v.nullable(HostMemorySchema),
  /** One per device while a cell runs; empty at rest. */
  trends: v.array(TrendSchema),
  /** Ids of releases that wait for the running cell to end. */
  queued: v.array(v.string()),
  /** The cell in which CUDA was started; `null`: not up, or before the helper came. */
  cuda_started: v.nullable(
    v.object({
      cell_id: v.nullable(v.string()),
      execution_count: v.nullable(count)
    })
  ),
  /** `null`: the notebook sends no work to other processes. */
  workers: v.nullable(FollowedWorkersSchema)
});

/** A walk that a person asked for goes on. */
export const ProgressSchema = event('progress', {
  request_id: v.string(),
  elapsed_s: number
});

/** Something a person should know before it fails. */
export interface IWarning extends v.InferOutput<typeof WarningSchema> {}
export const WarningSchema = event('warning', {
  time_s: number,
  cell_id: v.nullable(v.string()),
  kind: v.picklist([
    'filling_up',
    'growth',
    'retries',
    'swallowed_oom',
    'beyond_gpu',
    'host_low'
  ]),
  device_index: v.nullable(count),
  message: MessageSchema
});

/** Something in the helper failed; it goes on as far as it can. */
export interface IError extends v.InferOutput<typeof ErrorSchema> {}
export const ErrorSchema = event('error', {
  time_s: number,
  /** The request that this ends; `null` where none waits for it. */
  request_id: v.nullable(v.string()),
  where: v.string(),
  message: MessageSchema
});

/** The helper ends on purpose. */
export const ByeSchema = event('bye', {
  reason: v.picklist(['unloaded', 'replaced'])
});

/** Kernel to page. */
export type Event = v.InferOutput<typeof EventSchema>;
export const EventSchema = v.variant('type', [
  HelloSchema,
  SampleSchema,
  CellSchema,
  OomSchema,
  PlanSchema,
  ReleasedSchema,
  WorkerReleasedSchema,
  DryRunSchema,
  HoldersSchema,
  PathSchema,
  SnapshotSchema,
  CleanupSchema,
  RescueSchema,
  RerunSchema,
  ProgressSchema,
  WarningSchema,
  ErrorSchema,
  ByeSchema
]);
