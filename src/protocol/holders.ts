import * as v from 'valibot';

import { event } from './envelope';
import { FrameworkNameSchema } from './memory';
import { MessageSchema } from './message';
import { HolderKindSchema, PartSchema } from './part';
import { atLeast, count, integer, number } from './value';

/** A name that keeps memory in use. */
export const HolderSchema = v.object({
  name: v.string(),
  kind: HolderKindSchema,
  bytes: count
});

/** Where an object was made, known while allocation recording is on. */
export interface IAllocationSite
  extends v.InferOutput<typeof AllocationSiteSchema> {}
export const AllocationSiteSchema = v.object({
  cell_id: v.nullable(v.string()),
  execution_count: v.nullable(count),
  /** 1-based. */
  line: v.nullable(atLeast(1))
});

/** One storage or autograd graph under a holder. */
export interface IHeldPart extends v.InferOutput<typeof HeldPartSchema> {}
export const HeldPartSchema = v.object({
  /** Names it in a `path` request. */
  id: v.string(),
  /** The way from the holder, such as `.weight` or `[12]`. */
  name: v.string(),
  kind: HolderKindSchema,
  framework: FrameworkNameSchema,
  bytes: count,
  /** Held by an autograd graph only: no Python object is it. */
  graph: v.boolean(),
  dtype: v.nullable(v.string()),
  shape: v.nullable(v.array(integer)),
  allocation_site: v.nullable(AllocationSiteSchema)
});

/** One holder: a name, a displayed value, a traceback, or what no name reaches. */
export interface IHeld extends v.InferOutput<typeof HeldSchema> {}
export const HeldSchema = v.object({
  /** Names it in a `path` request. */
  id: v.string(),
  /** As a person would write it; empty for what no name reaches. */
  name: v.string(),
  origin: v.picklist([
    'names',
    'modules',
    'outputs',
    'traceback',
    'garbage',
    'elsewhere'
  ]),
  kind: v.picklist([...HolderKindSchema.options, 'mixed']),
  /** The class of the object behind the name, without its module. */
  type_name: v.nullable(v.string()),
  /** All that was reached through it first. */
  bytes: count,
  /** Of these: held by autograd graphs only. */
  graph_bytes: count,
  /** Storages. */
  count: atLeast(1),
  /** Other names of the same memory. */
  aliases: v.array(v.string()),
  /** The largest first; at most 50. */
  parts: v.array(HeldPartSchema),
  hint: v.nullable(MessageSchema)
});

/** Another process on the card. */
export interface IProcess extends v.InferOutput<typeof ProcessSchema> {}
export const ProcessSchema = v.object({
  /** In the kernel's namespace; `null` where it cannot be known. */
  pid: v.nullable(count),
  name: v.nullable(v.string()),
  bytes: v.nullable(count)
});

/** Where the memory in use of a device is; the parts add up to it. */
export interface IHeldDevice extends v.InferOutput<typeof HeldDeviceSchema> {}
export const HeldDeviceSchema = v.object({
  device_index: count,
  in_use_bytes: count,
  parts: v.array(PartSchema),
  /** The largest first; at most 100. */
  rows: v.array(HeldSchema),
  /** Others on the same card; `null` where the driver hides them. */
  processes: v.nullable(v.array(ProcessSchema))
});

/** Who holds the memory in use, measured between cells. */
export interface IHolders extends v.InferOutput<typeof HoldersSchema> {}
export const HoldersSchema = event('holders', {
  /** `null` when the helper measured on its own. */
  request_id: v.nullable(v.string()),
  time_s: number,
  duration_s: number,
  /** False when the walk stopped early. */
  complete: v.boolean(),
  /** The last cell that had run: these numbers are as of then. */
  execution_count: v.nullable(count),
  /** Whether allocations are recorded, so that `allocation_site` can be known. */
  recording: v.boolean(),
  devices: v.array(HeldDeviceSchema),
  message: MessageSchema
});

/** The ways from a root to one object. */
export interface IPath extends v.InferOutput<typeof PathSchema> {}
export const PathSchema = event('path', {
  request_id: v.string(),
  holder_id: v.string(),
  /** False when the search stopped early. */
  complete: v.boolean(),
  /** The shortest first; each a list of steps from the root. */
  paths: v.array(v.array(MessageSchema)),
  message: MessageSchema
});

/** The allocator's snapshot was written, or could not be. */
export interface ISnapshot extends v.InferOutput<typeof SnapshotSchema> {}
export const SnapshotSchema = event('snapshot', {
  request_id: v.string(),
  /** In the kernel's file system; `null` where nothing was written. */
  path: v.nullable(v.string()),
  bytes: v.nullable(count),
  message: MessageSchema
});
