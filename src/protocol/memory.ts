import * as v from 'valibot';

import { FRAMEWORKS, type FrameworkName } from './framework';
import { MessageSchema } from './message';
import { count, number } from './value';

export const FrameworkNameSchema = v.picklist(
  Object.keys(FRAMEWORKS) as FrameworkName[]
);

/** What one framework holds on one device. */
export interface IFramework extends v.InferOutput<typeof FrameworkSchema> {}
export const FrameworkSchema = v.object({
  name: FrameworkNameSchema,
  in_use_bytes: count,
  cached_bytes: v.nullable(count),
  /** The pool was taken at start on purpose: no sign of need. */
  preallocated: v.boolean(),
  /** The framework's own monotone peak; the helper never resets it. */
  peak_in_use_bytes: v.nullable(count),
  alloc_retries: v.nullable(count),
  ooms: v.nullable(count)
});

/** One GPU as the kernel sees it. */
export interface IDevice extends v.InferOutput<typeof DeviceSchema> {}
export const DeviceSchema = v.object({
  /** Index as the framework counts. */
  index: count,
  /** What drives the device; `index` counts within it. */
  backend: v.picklist(['cuda', 'rocm', 'xpu', 'mps']),
  name: v.nullable(v.string()),
  uuid: v.nullable(v.string()),
  /** Everything shown of a simulated device says so. */
  simulated: v.boolean(),
  capacity_bytes: v.nullable(count),
  /** A memory fraction lowers the capacity. */
  capacity_limited: v.boolean(),
  /** Unified memory: the host's programs use the same bytes. */
  shared_with_host: v.boolean(),
  /** Of outside: other programs, as the driver says; `null` where it hides them. */
  others_bytes: v.nullable(count),
  free_bytes: v.nullable(count),
  outside_bytes: v.nullable(count),
  in_use_bytes: count,
  cached_bytes: count,
  /** Outside and in use. */
  used_bytes: v.nullable(count),
  /** Free and cached: an upper bound of what the kernel could still get. */
  headroom_bytes: v.nullable(count),
  frameworks: v.array(FrameworkSchema),
  /** What a person should know to read these numbers. */
  notes: v.array(MessageSchema)
});

/** The kernel's host memory, and the host's: the container's limit where there is one. */
export interface IHostMemory extends v.InferOutput<typeof HostMemorySchema> {}
export const HostMemorySchema = v.object({
  /** Resident in the kernel's process. */
  rss_bytes: v.nullable(count),
  /** What could still be had without swapping. */
  available_bytes: v.nullable(count),
  total_bytes: v.nullable(count),
  /** Processes that the system has ended for want of memory, this kernel's neighbours included. */
  oom_kills: v.nullable(count)
});

/** Where memory goes while a cell runs. */
export interface ITrend extends v.InferOutput<typeof TrendSchema> {}
export const TrendSchema = v.object({
  device_index: count,
  /** `unknown`: not enough readings yet. */
  state: v.picklist(['unknown', 'steady', 'growing']),
  /** Growth of what stays; `null` unless growing. */
  bytes_per_s: v.nullable(count),
  bytes_per_step: v.nullable(count),
  /** Steps of a loop seen so far; `null` where none could be told apart. */
  steps: v.nullable(count),
  /** Headroom over growth; `null` unless growing and headroom is known. */
  full_in_s: v.nullable(number),
  full_in_steps: v.nullable(count)
});

/** The highest reading of a stretch of time of one device. */
export interface IHistoryPoint
  extends v.InferOutput<typeof HistoryPointSchema> {}
export const HistoryPointSchema = v.object({
  time_s: number,
  device_index: count,
  in_use_bytes: count,
  cached_bytes: count,
  outside_bytes: v.nullable(count),
  /** The stretch begins at a multiple of it. */
  width_s: v.picklist([1, 256]),
  /** The least that was used in it, outside included. */
  low_bytes: count
});
