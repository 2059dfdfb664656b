/*
 * Made from `protocol.schema.json` by `python -m scripts.wire`; do not edit. Sizes are
 * integer bytes, times are seconds since the epoch, and units stand in the key. No
 * key is optional: what is not known is `null`.
 */
import * as v from 'valibot';

import { atLeast, count, integer, number, plain } from '../value';

/** The helper lives. Also part of the attach reply. */
export interface IHello
  extends v.InferOutput<typeof HelloSchema> {}
export const HelloSchema = v.object({
  type: v.literal("hello"),
  /** `major.minor`; the major must match. */
  protocol_version: v.string(),
  helper_version: v.string(),
  /** Random identity of this life of the helper: a new one after every kernel restart. */
  life_id: v.string(),
  /** All events of this life come as comm messages with this id. */
  comm_id: v.string(),
  /** True: from the kernel's own environment; false: injected. */
  installed: v.boolean(),
  /** True: requests are answered on the control channel; false: over the comm, when the running cell ends. */
  control: v.boolean()
});

/** Why `devices` is empty when it is. */
export type State = v.InferOutput<typeof StateSchema>;
export const StateSchema = v.picklist(["no_framework", "not_initialised", "no_gpu", "live"]);

/** Which framework. */
export type FrameworkName = v.InferOutput<typeof FrameworkNameSchema>;
export const FrameworkNameSchema = v.picklist(["torch", "jax", "tensorflow", "cupy"]);

/** What one framework holds on one device. */
export interface IFramework
  extends v.InferOutput<typeof FrameworkSchema> {}
export const FrameworkSchema = v.object({
  name: FrameworkNameSchema,
  /** Bytes in live tensors. */
  in_use_bytes: count,
  /** Kept by the framework's allocator, not in use. */
  cached_bytes: v.nullable(count),
  /** Whether the pool was taken at start on purpose: it is no sign of need. */
  preallocated: v.boolean(),
  /** The framework's own monotone peak of in use; never reset by us. */
  peak_in_use_bytes: v.nullable(count),
  /** How often the allocator flushed its cache and tried again, since the process started. */
  alloc_retries: v.nullable(count),
  /** Out-of-memory errors of this allocator since the process started, swallowed ones included. */
  ooms: v.nullable(count)
});

/** A sentence: JupyterLab looks `template` up as gettext's msgid and fills in `params`; consoles and static forms show `text`. */
export interface IMessage
  extends v.InferOutput<typeof MessageSchema> {}
export const MessageSchema = v.object({
  /** What the sentence says, in whatever words, such as `cause.activations`. */
  id: v.string(),
  /** The English sentence with `{placeholders}`; `code` in backticks, **strong** in double asterisks, nothing else is markup. */
  template: v.string(),
  /** The values of the placeholders; a key ending in `_bytes` is an integer size. */
  params: plain,
  /** The template, filled: the English sentence. */
  text: v.string()
});

/** One GPU as this kernel sees it. `used` = outside + in use; `headroom` = free + cached = capacity - used. */
export interface IDevice
  extends v.InferOutput<typeof DeviceSchema> {}
export const DeviceSchema = v.object({
  /** Index as the framework counts (after CUDA_VISIBLE_DEVICES). */
  index: count,
  /** What drives the device; `index` counts within it. */
  backend: v.picklist(["cuda", "rocm", "xpu", "mps"]),
  /** Product name. */
  name: v.nullable(v.string()),
  uuid: v.nullable(v.string()),
  /** True for a simulated device: everything shown of it says so. */
  simulated: v.boolean(),
  /** The card's memory, or the limit where a memory fraction is set. */
  capacity_bytes: v.nullable(count),
  /** True where a memory fraction lowers the capacity. */
  capacity_limited: v.boolean(),
  /** Unified memory: the host's programs use the same bytes, so free is what the host has available. */
  shared_with_host: v.boolean(),
  /** Of outside: used by other processes, by the driver; null where it hides them. */
  others_bytes: v.nullable(count),
  /** Free on the card. */
  free_bytes: v.nullable(count),
  /** Used on the card but not by this kernel's frameworks. */
  outside_bytes: v.nullable(count),
  /** Sum over the frameworks. */
  in_use_bytes: count,
  /** Sum over the frameworks. */
  cached_bytes: count,
  /** outside + in use. */
  used_bytes: v.nullable(count),
  /** free + cached: an upper bound of what this kernel could still get with nothing freed. */
  headroom_bytes: v.nullable(count),
  frameworks: v.array(FrameworkSchema),
  /** What a person should know to read these numbers, such as a pool that was reserved at start. */
  notes: v.array(MessageSchema)
});

/** The kernel's own host memory, and the host's: the container's limit where there is one. */
export interface IHostMemory
  extends v.InferOutput<typeof HostMemorySchema> {}
export const HostMemorySchema = v.object({
  /** Resident in the kernel's process. */
  rss_bytes: v.nullable(count),
  /** What could still be had without swapping. */
  available_bytes: v.nullable(count),
  total_bytes: v.nullable(count),
  /** Processes that the system has ended for want of memory: of the kernel's control group, else of the machine. */
  oom_kills: v.nullable(count)
});

/** Where memory goes while a cell runs. */
export interface ITrend
  extends v.InferOutput<typeof TrendSchema> {}
export const TrendSchema = v.object({
  device_index: count,
  /** `unknown`: not enough readings yet. */
  state: v.picklist(["unknown", "steady", "growing"]),
  /** Growth of what stays, cycles of a step left out; null unless growing. */
  bytes_per_s: v.nullable(count),
  /** Null where no steps could be told apart. */
  bytes_per_step: v.nullable(count),
  /** Steps of a loop seen so far; null where none could be told apart. */
  steps: v.nullable(count),
  /** Headroom over growth; null unless growing and headroom is known. */
  full_in_s: v.nullable(number),
  full_in_steps: v.nullable(count)
});

/** Who sent the work there; `command`: a program that a cell started, `process`: not known. */
export type EngineName = v.InferOutput<typeof EngineNameSchema>;
export const EngineNameSchema = v.picklist(["command", "dask", "ipyparallel", "process", "rank", "ray"]);

/** One engine that this notebook sends work to, and whether its workers are measured. */
export interface IFollowed
  extends v.InferOutput<typeof FollowedSchema> {}
export const FollowedSchema = v.object({
  engine: EngineNameSchema,
  /** Its workers, those that have ended not counted. */
  total: count,
  /** Of them those whose readings come. */
  live: count,
  /** `following`: the helper is on its way there; `silent`: the engine does not answer. */
  state: v.picklist(["measured", "not_measured", "following", "silent"]),
  /** For how long it has not answered; null: it does. */
  silent_s: v.nullable(number),
  /** What a person should know of it, such as why nothing can be measured; null: nothing. */
  message: v.nullable(MessageSchema)
});

/** A worker on one card. */
export interface ICardWorker
  extends v.InferOutput<typeof CardWorkerSchema> {}
export const CardWorkerSchema = v.object({
  /** Names it in requests of this life. */
  id: v.string(),
  engine: EngineNameSchema,
  /** As the engine calls it; null: it has a rank only. */
  name: v.nullable(v.string()),
  /** Of a rank, or the number of an engine of ipyparallel. */
  rank: v.nullable(count),
  /** On its own host. */
  pid: v.nullable(count),
  /** `stale`: it has not been heard of for a while, `ended`: its process is gone. */
  state: v.picklist(["live", "stale", "ended"]),
  /** Since its last reading came, by the clock of who received it. */
  age_s: number,
  /** Of the cell that started it; null: another did. */
  execution_count: v.nullable(count),
  /** It outlives that cell. */
  left_over: v.boolean(),
  /** What can be done with it. */
  actions: v.array(v.picklist(["free", "end"])),
  /** By its frameworks on this card. */
  in_use_bytes: count,
  /** By its frameworks on this card. */
  cached_bytes: count
});

/** A GPU on which workers are. In use and cached are sums over its workers that have not ended, outside is what is used on the card but by none of them. */
export interface IWorkerCard
  extends v.InferOutput<typeof WorkerCardSchema> {}
export const WorkerCardSchema = v.object({
  /** The same card has the same id, whatever engine tells of it. */
  id: v.string(),
  host: v.string(),
  /** As its first worker counts. */
  index: v.nullable(count),
  uuid: v.nullable(v.string()),
  /** Product name. */
  name: v.nullable(v.string()),
  simulated: v.boolean(),
  capacity_bytes: v.nullable(count),
  /** Used on the card, as whoever looked last saw it. */
  used_bytes: v.nullable(count),
  in_use_bytes: count,
  cached_bytes: count,
  /** Used on the card, but by none of its workers. */
  outside_bytes: v.nullable(count),
  /** The largest first, at most 8. */
  workers: v.array(CardWorkerSchema),
  /** Besides these. */
  more_workers: count
});

/** What workers hold on a GPU of the kernel: it is part of that device's outside. */
export interface ICardShare
  extends v.InferOutput<typeof CardShareSchema> {}
export const CardShareSchema = v.object({
  device_index: count,
  /** How many they are. */
  workers: count,
  /** In use and cached. */
  bytes: count
});

/** The processes that this notebook sends its work to, in short. */
export interface IFollowedWorkers
  extends v.InferOutput<typeof FollowedWorkersSchema> {}
export const FollowedWorkersSchema = v.object({
  engines: v.array(FollowedSchema),
  /** By the frameworks of all that have not ended. */
  in_use_bytes: count,
  /** The card with the least headroom; null: none was measured. */
  fullest: v.nullable(WorkerCardSchema),
  /** What workers hold on the kernel's own GPUs: part of their outside. */
  here: v.array(CardShareSchema)
});

/** The cell in which something was started. */
export interface IStartedBy
  extends v.InferOutput<typeof StartedBySchema> {}
export const StartedBySchema = v.object({
  cell_id: v.nullable(v.string()),
  execution_count: v.nullable(count)
});

/** One reading. Sent on a lease while a cell runs: when something changed, and as a heartbeat every second. */
export interface ISample
  extends v.InferOutput<typeof SampleSchema> {}
export const SampleSchema = v.object({
  type: v.literal("sample"),
  life_id: v.string(),
  /** Rises by one with each reading of this life. */
  seq: count,
  time_s: number,
  /** Why `devices` is empty when it is. */
  state: StateSchema,
  /** A cell is running. */
  busy: v.boolean(),
  /** Of frameworks that are live, and of the driver where it could be asked without starting one. */
  devices: v.array(DeviceSchema),
  host: v.nullable(HostMemorySchema),
  /** One per device while a cell runs; empty at rest. */
  trends: v.array(TrendSchema),
  /** Ids of releases that wait for the running cell to end; each can be cancelled. */
  queued: v.array(v.string()),
  /** Null: this notebook has none. */
  workers: v.nullable(FollowedWorkersSchema),
  /** Null: CUDA is not up, or was before the helper came. */
  cuda_started: v.nullable(StartedBySchema)
});

/** What one run of a cell did to one device. */
export interface ICellMemory
  extends v.InferOutput<typeof CellMemorySchema> {}
export const CellMemorySchema = v.object({
  device_index: count,
  /** In use at the end (or now) minus in use at the start. */
  change_bytes: v.nullable(integer),
  /** Highest in use while it ran, at least. */
  peak_bytes: v.nullable(count),
  /** What it cannot have been above, by the framework's own counters; equal to peak_bytes where that is exact, null where nothing bounds it. */
  peak_at_most_bytes: v.nullable(count),
  /** Peak above what was in use at the start: what the run needs on top, at least. */
  needed_bytes: v.nullable(count),
  /** Allocator retries during the run. */
  alloc_retries: v.nullable(count),
  /** Out-of-memory errors during the run, swallowed ones included. */
  ooms: v.nullable(count)
});

/** The same cell kept more on each of its last runs. */
export interface IGrowth
  extends v.InferOutput<typeof GrowthSchema> {}
export const GrowthSchema = v.object({
  device_index: count,
  /** How many runs in a row. */
  runs: atLeast(2),
  bytes_per_run: count,
  /** The name that grew, as a person would write it; null while not measured. */
  holder: v.nullable(v.string())
});

/** A cell started or ended. */
export interface ICell
  extends v.InferOutput<typeof CellSchema> {}
export const CellSchema = v.object({
  type: v.literal("cell"),
  life_id: v.string(),
  cell_id: v.nullable(v.string()),
  /** null at the start on kernels that do not know it yet. */
  execution_count: v.nullable(count),
  status: v.picklist(["running", "ok", "error", "oom"]),
  start_s: number,
  end_s: v.nullable(number),
  memory: v.array(CellMemorySchema),
  /** How often this cell ran in this life, this run included. */
  run: atLeast(1),
  growth: v.nullable(GrowthSchema),
  /** Names in a release the value that this run displayed, if it displayed one; null where that cannot be known. */
  output_id: v.nullable(v.string()),
  /** CRC-32 of the code that ran, as UTF-8: whether the cell still says that; null where it is too long. */
  source_crc32: v.nullable(count),
  /** The most that was in use by workers while it ran, above what was at its start; null: none were measured. */
  workers_bytes: v.nullable(count)
});

/** A cell ran out of GPU memory; its card comes as display data of that cell. */
export interface IOom
  extends v.InferOutput<typeof OomSchema> {}
export const OomSchema = v.object({
  type: v.literal("oom"),
  life_id: v.string(),
  report_id: v.string(),
  time_s: number,
  cell_id: v.nullable(v.string()),
  device_index: v.nullable(count),
  requested_bytes: v.nullable(count),
  available_bytes: v.nullable(count)
});

/** What can be freed. */
export type ItemKind = v.InferOutput<typeof ItemKindSchema>;
export const ItemKindSchema = v.picklist(["traceback", "outputs", "garbage", "cache", "error", "variable", "leftover", "gradients", "optimizer_state", "graph", "offload", "restore", "framework_cache"]);

/** One thing that can be freed. */
export interface IItem
  extends v.InferOutput<typeof ItemSchema> {}
export const ItemSchema = v.object({
  /** Names it in a release: `traceback`, `garbage`, `cache`, `output:5`, or `kind:name`, as in `variable:outputs`. A page hands it back as it is, and reads `kind` and `name`. */
  id: v.string(),
  kind: ItemKindSchema,
  /** The user's variable that it is about; null: none, or several. */
  name: v.nullable(v.string()),
  title: MessageSchema,
  /** What a person loses by it. */
  cost: MessageSchema,
  /** What would come back if this alone were freed beside the tracebacks of failed cells, by simulation on the reference graph; null: not measured. */
  expected_bytes: v.nullable(count),
  /** In the safe set: nothing the user named is lost. All others need a confirmation by id. */
  safe: v.boolean(),
  /** Proposed to be checked. */
  selected: v.boolean(),
  /** False for unused cache, which this kernel can use anyway. */
  adds_headroom: v.boolean(),
  /** Names of the user's that are deleted, aliases included. */
  names: v.array(v.string()),
  /** What a person has to agree to; null for the safe set. */
  confirm: v.nullable(MessageSchema),
  /** Why it cannot be freed; null: it can. */
  blocked: v.nullable(MessageSchema)
});

/** Bytes that each of these items counts: they come back once. */
export interface IShared
  extends v.InferOutput<typeof SharedSchema> {}
export const SharedSchema = v.object({
  /** Two at least. */
  ids: v.array(v.string()),
  bytes: count
});

/** What can be freed, measured between cells after a plan request. */
export interface IPlan
  extends v.InferOutput<typeof PlanSchema> {}
export const PlanSchema = v.object({
  type: v.literal("plan"),
  life_id: v.string(),
  request_id: v.string(),
  /** False where the time was over before all was measured. */
  complete: v.boolean(),
  items: v.array(ItemSchema),
  /** Bytes that several items count, the most first. What chosen items give together is the sum of their bytes, less these bytes for each chosen one of its items but the first. */
  shared: v.array(SharedSchema),
  message: MessageSchema
});

/** One item of the release. */
export interface IReleasedItem
  extends v.InferOutput<typeof ReleasedItemSchema> {}
export const ReleasedItemSchema = v.object({
  id: v.string(),
  kind: ItemKindSchema,
  title: MessageSchema,
  /** In use before minus after this item; null: it ran together with another, or was not measured. */
  freed_bytes: v.nullable(integer),
  /** Why it gave less than expected, or what to know; null: nothing to say. */
  message: v.nullable(MessageSchema)
});

/** What memory is of. */
export type HolderKind = v.InferOutput<typeof HolderKindSchema>;
export const HolderKindSchema = v.picklist(["parameters", "gradients", "optimizer_state", "activations", "tensor"]);

/** A name that keeps memory in use, with all that was reached through it first: of a model its parameters, buffers and gradients. A variable of a failed function is named with it: `x in Block.forward`. */
export interface IHolder
  extends v.InferOutput<typeof HolderSchema> {}
export const HolderSchema = v.object({
  /** As the user would write it: `model`, `outputs[3]`, `Out[5]`, or the name of a frame's variable. */
  name: v.string(),
  kind: HolderKindSchema,
  bytes: count
});

/** A release ended. Freed is in use before minus after; returned to the card is reserved before minus after; both measured. */
export interface IReleased
  extends v.InferOutput<typeof ReleasedSchema> {}
export const ReleasedSchema = v.object({
  type: v.literal("released"),
  life_id: v.string(),
  release_id: v.string(),
  report_id: v.nullable(v.string()),
  /** Freed after a failure because the settings ask for it: nobody pressed a button. */
  automatic: v.boolean(),
  time_s: number,
  status: v.picklist(["done", "nothing", "failed", "cancelled"]),
  /** In use before minus after. */
  freed_bytes: v.nullable(integer),
  /** Reserved before minus after. */
  returned_bytes: v.nullable(integer),
  /** After. */
  in_use_bytes: v.nullable(count),
  headroom_before_bytes: v.nullable(count),
  headroom_after_bytes: v.nullable(count),
  items: v.array(ReleasedItemSchema),
  /** The largest holders that are left. */
  still_held: v.array(HolderSchema),
  /** Ids of items that take something back, as `restore:model`. */
  undo: v.array(v.string()),
  message: MessageSchema
});

/** What was done with a worker has ended. */
export interface IWorkerReleased
  extends v.InferOutput<typeof WorkerReleasedSchema> {}
export const WorkerReleasedSchema = v.object({
  type: v.literal("worker_released"),
  life_id: v.string(),
  request_id: v.string(),
  status: v.picklist(["done", "nothing", "refused", "failed"]),
  message: MessageSchema
});

/** What a cell does that others would notice: to be agreed to before anything runs. */
export interface IDryRunAsk
  extends v.InferOutput<typeof DryRunAskSchema> {}
export const DryRunAskSchema = v.object({
  cell_id: v.string(),
  /** As they are written, commands by their first word. */
  calls: v.array(v.string())
});

/** What memory is: of a card when a cell failed, of what is in use by how it is held. */
export type PartKind = v.InferOutput<typeof PartKindSchema>;
export const PartKindSchema = v.picklist(["outside", "named", "graphs", "unnamed", "parameters", "optimizer_state", "gradients", "activations", "other_tensors", "workspaces", "earlier_error", "temporaries", "not_attributed", "cached", "free"]);

/** One part of a sum, such as a segment of the bar of the moment of failure; in its order. */
export interface IPart
  extends v.InferOutput<typeof PartSchema> {}
export const PartSchema = v.object({
  kind: PartKindSchema,
  bytes: count
});

/** Whether it fits on a GPU. */
export interface IDryRunFit
  extends v.InferOutput<typeof DryRunFitSchema> {}
export const DryRunFitSchema = v.object({
  gpu: v.string(),
  /** Who lends it; empty: not known. */
  where: v.string(),
  total_bytes: count,
  /** null: the run came to no end. */
  fits: v.nullable(v.boolean()),
  /** At the peak; negative: what is missing. */
  left_bytes: v.nullable(integer),
  /** The largest batch with which it fits; null: not looked for, or not found. */
  largest: v.nullable(count)
});

/** Lines of one cell to replace, computed from the sources that were sent. */
export interface IEdit
  extends v.InferOutput<typeof EditSchema> {}
export const EditSchema = v.object({
  /** Of a script its path from the notebook's folder, which ends in `.py`; its old lines are then all that it has. */
  cell_id: v.string(),
  /** 1-based. */
  first_line: count,
  old_lines: v.array(v.string()),
  new_lines: v.array(v.string())
});

/** What came of an edit, by running it. */
export interface IDryRunTry
  extends v.InferOutput<typeof DryRunTrySchema> {}
export const DryRunTrySchema = v.object({
  remedy_id: v.string(),
  title: MessageSchema,
  /** What it sets, where it sets one. */
  number: v.nullable(integer),
  /** null: it cannot be tried. */
  fits: v.nullable(v.boolean()),
  peak_bytes: v.nullable(count),
  message: MessageSchema,
  /** Empty: what its remedy has is meant. */
  edits: v.array(EditSchema)
});

/** What a dry run has found so far; every size is simulated. */
export interface IDryRunFound
  extends v.InferOutput<typeof DryRunFoundSchema> {}
export const DryRunFoundSchema = v.object({
  /** Always true: no card was used. */
  simulated: v.boolean(),
  /** In use at once, with the driver's context; null: no GPU was used. */
  needed_bytes: v.nullable(count),
  /** Whether all of it ran: else at least so much is needed. */
  whole: v.boolean(),
  /** The cell whose line reached the peak. */
  cell_id: v.nullable(v.string()),
  /** 1-based. */
  line: v.nullable(count),
  /** What the peak is made of. */
  parts: v.array(PartSchema),
  /** What else is to be known, first what is needed. */
  said: v.array(MessageSchema),
  /** Where it ended for want of a value, perhaps: the last cell to be run with values. */
  values_to: v.nullable(v.string()),
  /** What the number that sets the batch is called; null: not known. */
  batch: v.nullable(v.string()),
  /** First the one that edits are tried on. */
  fits: v.array(DryRunFitSchema),
  /** The GPU of the tries. */
  tried_on: v.nullable(v.string()),
  tries: v.array(DryRunTrySchema)
});

/** How far a dry run is. `asking`: nothing has run, for cells do more than compute; `failed`: it ended before its end. */
export interface IDryRun
  extends v.InferOutput<typeof DryRunSchema> {}
export const DryRunSchema = v.object({
  type: v.literal("dry_run"),
  life_id: v.string(),
  request_id: v.string(),
  /** `asking`: nothing has run; `failed`: it ended before its end. */
  status: v.picklist(["asking", "running", "done", "failed"]),
  /** What it does now, or why it ended. */
  message: v.nullable(MessageSchema),
  asks: v.array(DryRunAskSchema),
  found: v.nullable(DryRunFoundSchema)
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
export interface IHeldPart
  extends v.InferOutput<typeof HeldPartSchema> {}
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

/** One holder: a name, a displayed value, a failed cell's traceback, or what no name reaches. */
export interface IHeld
  extends v.InferOutput<typeof HeldSchema> {}
export const HeldSchema = v.object({
  /** Names it in a `path` request. */
  id: v.string(),
  /** As a person would write it: `model`, `engine.POOL`, `Out[5]`, `In [7]`; empty for what no name reaches. */
  name: v.string(),
  /** modules: globals of modules other than the notebook. garbage: what Python's collector frees. elsewhere: what nothing of Python's leads to. */
  origin: v.picklist(["names", "modules", "outputs", "traceback", "garbage", "elsewhere"]),
  kind: v.picklist(["parameters", "gradients", "optimizer_state", "activations", "tensor", "mixed"]),
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
export interface IProcess
  extends v.InferOutput<typeof ProcessSchema> {}
export const ProcessSchema = v.object({
  /** In this process's namespace; null where it cannot be known. */
  pid: v.nullable(count),
  name: v.nullable(v.string()),
  bytes: v.nullable(count)
});

/** Where the memory in use of a device is: parts that add up to it. */
export interface IHeldDevice
  extends v.InferOutput<typeof HeldDeviceSchema> {}
export const HeldDeviceSchema = v.object({
  device_index: count,
  in_use_bytes: count,
  /** Named, graphs, unnamed, then what no Python object leads to, and last what is not attributed. */
  parts: v.array(PartSchema),
  /** The largest first; at most 100. */
  rows: v.array(HeldSchema),
  /** Others on the same card; null where the driver hides them. */
  processes: v.nullable(v.array(ProcessSchema))
});

/** Who holds the memory in use, measured between cells after a holders request. */
export interface IHolders
  extends v.InferOutput<typeof HoldersSchema> {}
export const HoldersSchema = v.object({
  type: v.literal("holders"),
  life_id: v.string(),
  /** Null when the helper measured on its own. */
  request_id: v.nullable(v.string()),
  time_s: number,
  /** What the walk took. */
  duration_s: number,
  /** False when it stopped early. */
  complete: v.boolean(),
  /** The last cell that had run: these numbers are as of then. */
  execution_count: v.nullable(count),
  /** Whether allocation recording is on, so that `made` can be known. */
  recording: v.boolean(),
  devices: v.array(HeldDeviceSchema),
  message: MessageSchema
});

/** The ways from a root to one object, after a path request. */
export interface IPath
  extends v.InferOutput<typeof PathSchema> {}
export const PathSchema = v.object({
  type: v.literal("path"),
  life_id: v.string(),
  request_id: v.string(),
  holder_id: v.string(),
  /** False when the search stopped early. */
  complete: v.boolean(),
  /** At most three, the shortest first; each a list of steps from the root. */
  paths: v.array(v.array(MessageSchema)),
  message: MessageSchema
});

/** The allocator's snapshot was written, or could not be. */
export interface ISnapshot
  extends v.InferOutput<typeof SnapshotSchema> {}
export const SnapshotSchema = v.object({
  type: v.literal("snapshot"),
  life_id: v.string(),
  request_id: v.string(),
  /** In the kernel's file system; null where nothing was written. */
  path: v.nullable(v.string()),
  bytes: v.nullable(count),
  message: MessageSchema
});

/** The clean-up cell that a request asked for. */
export interface ICleanup
  extends v.InferOutput<typeof CleanupSchema> {}
export const CleanupSchema = v.object({
  type: v.literal("cleanup"),
  life_id: v.string(),
  request_id: v.string(),
  /** null where it could not be written. */
  code: v.nullable(v.string()),
  message: MessageSchema
});

/** A training was saved, or could not be. */
export interface IRescue
  extends v.InferOutput<typeof RescueSchema> {}
export const RescueSchema = v.object({
  type: v.literal("rescue"),
  life_id: v.string(),
  request_id: v.string(),
  /** In the kernel's file system; null where nothing was written. */
  path: v.nullable(v.string()),
  bytes: v.nullable(count),
  /** The cell that goes on from the file; null where nothing was written. */
  code: v.nullable(v.string()),
  message: MessageSchema
});

/** What running cells again would cost. */
export interface IRerun
  extends v.InferOutput<typeof RerunSchema> {}
export const RerunSchema = v.object({
  type: v.literal("rerun"),
  life_id: v.string(),
  request_id: v.string(),
  status: v.picklist(["ready", "cancelled"]),
  /** What goes before a cell runs, as `rerun:<number>:<cell id>`: each only where a person agrees to its `confirm`, and only until another cell runs. */
  items: v.array(ItemSchema),
  /** What was trained and would be lost, or trained again. */
  cautions: v.array(MessageSchema),
  /** Whether what was trained can be saved before, by a `rescue` request. */
  saves: v.boolean()
});

/** A walk that a person asked for goes on. */
export interface IProgress
  extends v.InferOutput<typeof ProgressSchema> {}
export const ProgressSchema = v.object({
  type: v.literal("progress"),
  life_id: v.string(),
  request_id: v.string(),
  elapsed_s: number
});

/** Something a person should know before it fails. */
export interface IWarning
  extends v.InferOutput<typeof WarningSchema> {}
export const WarningSchema = v.object({
  type: v.literal("warning"),
  life_id: v.string(),
  time_s: number,
  cell_id: v.nullable(v.string()),
  kind: v.picklist(["filling_up", "growth", "retries", "swallowed_oom", "beyond_gpu", "host_low"]),
  device_index: v.nullable(count),
  message: MessageSchema
});

/** Something in the helper failed; it goes on as far as it can. For the log. */
export interface IError
  extends v.InferOutput<typeof ErrorSchema> {}
export const ErrorSchema = v.object({
  type: v.literal("error"),
  life_id: v.string(),
  time_s: number,
  /** The request that this ends; null where none waits for it. */
  request_id: v.nullable(v.string()),
  /** Part of the helper. */
  where: v.string(),
  message: MessageSchema
});

/** The helper ends on purpose. */
export interface IBye
  extends v.InferOutput<typeof ByeSchema> {}
export const ByeSchema = v.object({
  type: v.literal("bye"),
  life_id: v.string(),
  reason: v.picklist(["unloaded", "replaced"])
});

/** Kernel to page. */
export type Event = v.InferOutput<typeof EventSchema>;
export const EventSchema = v.variant('type', [HelloSchema, SampleSchema, CellSchema, OomSchema, PlanSchema, ReleasedSchema, WorkerReleasedSchema, DryRunSchema, HoldersSchema, PathSchema, SnapshotSchema, CleanupSchema, RescueSchema, RerunSchema, ProgressSchema, WarningSchema, ErrorSchema, ByeSchema]);

/** Reply to `attach`. */
export interface IAttachReply
  extends v.InferOutput<typeof AttachReplySchema> {}
export const AttachReplySchema = v.object({
  type: v.literal("attach"),
  id: v.string(),
  hello: HelloSchema,
  /** Seconds until the lease ends unless renewed: fewer for a client that is sent readings. */
  lease_s: number,
  /** The last reading. */
  sample: v.nullable(SampleSchema),
  /** The running cell, else the last one. */
  cell: v.nullable(CellSchema)
});

/** Reply to `detach`. */
export interface IDetachReply
  extends v.InferOutput<typeof DetachReplySchema> {}
export const DetachReplySchema = v.object({
  type: v.literal("detach"),
  id: v.string()
});

/** Reply to `sample`. */
export interface ISampleReply
  extends v.InferOutput<typeof SampleReplySchema> {}
export const SampleReplySchema = v.object({
  type: v.literal("sample"),
  id: v.string(),
  sample: SampleSchema,
  cell: v.nullable(CellSchema)
});

/** Reply to `plan`. */
export interface IPlanReply
  extends v.InferOutput<typeof PlanReplySchema> {}
export const PlanReplySchema = v.object({
  type: v.literal("plan"),
  id: v.string(),
  status: v.picklist(["queued", "waiting"])
});

/** Reply to `holders`. */
export interface IHoldersReply
  extends v.InferOutput<typeof HoldersReplySchema> {}
export const HoldersReplySchema = v.object({
  type: v.literal("holders"),
  id: v.string(),
  /** `waiting`: a cell runs, it is measured when that ends. */
  status: v.picklist(["queued", "waiting"]),
  last: v.nullable(HoldersSchema)
});

/** Reply to `path`. */
export interface IPathReply
  extends v.InferOutput<typeof PathReplySchema> {}
export const PathReplySchema = v.object({
  type: v.literal("path"),
  id: v.string(),
  status: v.picklist(["queued", "waiting"])
});

/** Reply to `cells`. */
export interface ICellsReply
  extends v.InferOutput<typeof CellsReplySchema> {}
export const CellsReplySchema = v.object({
  type: v.literal("cells"),
  id: v.string(),
  /** Oldest first: at most three runs of a cell, 200 cells. */
  runs: v.array(CellSchema)
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
  /** The length of the stretch, which begins at a multiple of it. */
  width_s: v.picklist([1, 256]),
  /** The least that was used in it, outside included. */
  low_bytes: count
});

/** Reply to `history`. */
export interface IHistoryReply
  extends v.InferOutput<typeof HistoryReplySchema> {}
export const HistoryReplySchema = v.object({
  type: v.literal("history"),
  id: v.string(),
  /** Oldest first: each second of five minutes, and before that eight hours in stretches of 256 s. */
  points: v.array(HistoryPointSchema)
});

/** Reply to `snapshot`. */
export interface ISnapshotReply
  extends v.InferOutput<typeof SnapshotReplySchema> {}
export const SnapshotReplySchema = v.object({
  type: v.literal("snapshot"),
  id: v.string(),
  status: v.picklist(["queued", "waiting"])
});

/** Reply to `release`. */
export interface IReleaseReply
  extends v.InferOutput<typeof ReleaseReplySchema> {}
export const ReleaseReplySchema = v.object({
  type: v.literal("release"),
  id: v.string(),
  release_id: v.string(),
  /** queued: runs at once; waiting: a cell runs, it starts when that ends. */
  status: v.picklist(["queued", "waiting"])
});

/** Reply to `cancel`. */
export interface ICancelReply
  extends v.InferOutput<typeof CancelReplySchema> {}
export const CancelReplySchema = v.object({
  type: v.literal("cancel"),
  id: v.string(),
  cancelled: v.boolean()
});

/** A cause with its evidence. */
export interface ICause
  extends v.InferOutput<typeof CauseSchema> {}
export const CauseSchema = v.object({
  /** Kebab-case id of the rule; docs/rules/<id>.md explains it. */
  rule: v.string(),
  claim: MessageSchema,
  evidence: MessageSchema,
  /** What it explains of the memory in use; null: not measured. */
  bytes: v.nullable(count)
});

/** One row of a diff. */
export interface IDiffRow
  extends v.InferOutput<typeof DiffRowSchema> {}
export const DiffRowSchema = v.object({
  sign: v.picklist([" ", "-", "+"]),
  /** 1-based line in the cell before the change (for `+`: after it). */
  line: count,
  text: v.string()
});

/** What a fix would change, for show only: the edit itself is asked from the live helper. */
export interface IDiff
  extends v.InferOutput<typeof DiffSchema> {}
export const DiffSchema = v.object({
  /** The cell it edits. */
  cell_id: v.nullable(v.string()),
  /** Path, from the notebook's folder, of the script that it edits in place of a cell. */
  file: v.nullable(v.string()),
  /** In [n] of that cell when it last ran. */
  execution_count: v.nullable(count),
  rows: v.array(DiffRowSchema),
  /** What the new lines set, as code, such as `batch_size = 512`; null: nothing of the kind. */
  sets: v.nullable(v.string())
});

/** Something a person can do about this failure, offered only where the numbers support it. */
export interface IRemedy
  extends v.InferOutput<typeof RemedySchema> {}
export const RemedySchema = v.object({
  /** Identity within this report, such as `free-traceback` or `smaller-batch`. */
  id: v.string(),
  kind: v.picklist(["release", "edit", "snippet", "suggestion", "restart", "save"]),
  title: MessageSchema,
  note: MessageSchema,
  /** Bytes that it is expected to give back or save. */
  effect_bytes: v.nullable(count),
  effect_quality: v.picklist(["measured", "estimated", "at_least", "not_measured"]),
  /** What to type where there are no buttons, of a snippet the code of its cell; null when the diffs or the note say it. */
  type_this: v.nullable(v.string()),
  /** One for each cell that an edit or a suggestion changes, in the order of the notebook; empty: none. */
  diffs: v.array(DiffSchema),
  /** Code that shows a suggestion, in the user's names where that is cheap; null where the diffs or the note say it. */
  example: v.nullable(v.string())
});

/** One row of the table under Details. */
export interface IDetail
  extends v.InferOutput<typeof DetailSchema> {}
export const DetailSchema = v.object({
  label: MessageSchema,
  /** null: not measured. */
  bytes: v.nullable(integer),
  source: MessageSchema
});

/** A program or driver that took part in a failure, and its version. */
export interface IVersion
  extends v.InferOutput<typeof VersionSchema> {}
export const VersionSchema = v.object({
  /** A proper name, such as `PyTorch`. */
  name: v.string(),
  version: v.string()
});

/** A process other than the kernel that works for its notebook, as far as an error names it. */
export interface IWorker
  extends v.InferOutput<typeof WorkerSchema> {}
export const WorkerSchema = v.object({
  /** Who sent the work there; `command`: a program that a cell started. */
  engine: EngineNameSchema,
  /** Of a rank, or the number of an engine of ipyparallel. */
  rank: v.nullable(count),
  /** On its own host. */
  pid: v.nullable(count),
  /** A name or an address, as the error has it. */
  host: v.nullable(v.string())
});

/** The line of a cell that failed in another process: of the cell that defines what ran there. */
export interface IOrigin
  extends v.InferOutput<typeof OriginSchema> {}
export const OriginSchema = v.object({
  cell_id: v.nullable(v.string()),
  execution_count: v.nullable(count),
  /** 1-based line of that cell. */
  line: count,
  /** Its function, such as `train`. */
  function: v.string()
});

/** The OOM card: one neutral model, laid out by every renderer. In a notebook it is untrusted text; only a live helper's own copy is acted on. */
export interface IReport
  extends v.InferOutput<typeof ReportSchema> {}
export const ReportSchema = v.object({
  /** Version of this model: `1.1`. */
  version: v.string(),
  report_id: v.string(),
  /** The life of the helper that made it. */
  life_id: v.string(),
  /** Seconds since the epoch. */
  time_s: number,
  simulated: v.boolean(),
  framework: FrameworkNameSchema,
  /** Class of the error, such as `OutOfMemoryError`. */
  error_name: v.string(),
  cell_id: v.nullable(v.string()),
  execution_count: v.nullable(count),
  /** 1-based line of the failing cell. */
  line: v.nullable(count),
  device_index: v.nullable(count),
  device_name: v.nullable(v.string()),
  capacity_bytes: v.nullable(count),
  /** What the failing request asked for, as the error says it; null: not known. */
  requested_bytes: v.nullable(count),
  /** Free on the card at that moment, by the driver or the error. */
  available_bytes: v.nullable(count),
  in_use_bytes: v.nullable(count),
  cached_bytes: v.nullable(count),
  outside_bytes: v.nullable(count),
  parts: v.array(PartSchema),
  /** In use that only the failed cell's traceback keeps; null: not measured. */
  traceback_bytes: v.nullable(count),
  /** The largest variables that the traceback keeps. */
  traceback_variables: v.array(HolderSchema),
  /** The largest named holders at the moment of the report. */
  holders: v.array(HolderSchema),
  /** The one to act on first; null: no single cause stands out. */
  cause: v.nullable(CauseSchema),
  /** Others that hold as well, ranked. */
  further_causes: v.array(CauseSchema),
  /** Whether the failing request fits once the traceback is freed; null: not known. */
  fits_after_free: v.nullable(v.boolean()),
  remedies: v.array(RemedySchema),
  details: v.array(DetailSchema),
  /** What took part in it, as far as it is known. */
  versions: v.array(VersionSchema),
  /** CUDA failed for good in this kernel (a device-side assert, an illegal access): nothing touches the GPU any more, and only a restart helps. */
  sticky_error: v.boolean(),
  /** The measurement goes on between cells; the card is completed in place, and an `oom` event tells of the same report again. */
  looking: v.boolean(),
  /** The process that ran out; null: the kernel itself. */
  worker: v.nullable(WorkerSchema),
  /** Where a worker failed, if that is in a cell. */
  origin: v.nullable(OriginSchema),
  /** Other workers that failed likewise. */
  also_failed: count,
  /** Where the numbers come from: measured in the kernel, by the worker in itself, or those of the message only. */
  measured: v.picklist(["kernel", "worker", "message"])
});

/** Reply to `report`. */
export interface IReportReply
  extends v.InferOutput<typeof ReportReplySchema> {}
export const ReportReplySchema = v.object({
  type: v.literal("report"),
  id: v.string(),
  status: v.picklist(["known", "unknown"]),
  /** The helper's own copy. */
  report: v.nullable(ReportSchema),
  /** The last release made for it. */
  released: v.nullable(ReleasedSchema)
});

/** Reply to `fix`. */
export interface IFixReply
  extends v.InferOutput<typeof FixReplySchema> {}
export const FixReplySchema = v.object({
  type: v.literal("fix"),
  id: v.string(),
  /** changed: the cell no longer has the line. */
  status: v.picklist(["ok", "changed", "unknown"]),
  edits: v.array(EditSchema),
  /** Cell ids to run, in this order, for Apply and re-run. */
  run: v.array(v.string()),
  message: MessageSchema,
  /** What running these cells again would repeat besides the computation, such as writing a file; null: nothing is known of it. */
  caution: v.nullable(MessageSchema)
});

/** Reply to `cleanup`. */
export interface ICleanupReply
  extends v.InferOutput<typeof CleanupReplySchema> {}
export const CleanupReplySchema = v.object({
  type: v.literal("cleanup"),
  id: v.string(),
  status: v.picklist(["queued", "waiting"])
});

/** Reply to `rescue`. */
export interface IRescueReply
  extends v.InferOutput<typeof RescueReplySchema> {}
export const RescueReplySchema = v.object({
  type: v.literal("rescue"),
  id: v.string(),
  status: v.picklist(["queued", "waiting"])
});

/** Reply to `rerun`. */
export interface IRerunReply
  extends v.InferOutput<typeof RerunReplySchema> {}
export const RerunReplySchema = v.object({
  type: v.literal("rerun"),
  id: v.string(),
  status: v.picklist(["queued", "waiting"])
});

/** Reply to `explain`; the card is displayed below the cell. */
export interface IExplainReply
  extends v.InferOutput<typeof ExplainReplySchema> {}
export const ExplainReplySchema = v.object({
  type: v.literal("explain"),
  id: v.string(),
  /** Null: the text says of no full GPU, or the cell has its card. */
  report_id: v.nullable(v.string())
});

/** Reply to `presence`: what this kernel holds, and since when it rests. */
export interface IPresenceReply
  extends v.InferOutput<typeof PresenceReplySchema> {}
export const PresenceReplySchema = v.object({
  type: v.literal("presence"),
  id: v.string(),
  sample: v.nullable(SampleSchema),
  /** End of the last cell; null: a cell runs, or none has run yet. */
  idle_since_s: v.nullable(number)
});

/** Reply to `workers`. */
export interface IWorkersReply
  extends v.InferOutput<typeof WorkersReplySchema> {}
export const WorkersReplySchema = v.object({
  type: v.literal("workers"),
  id: v.string(),
  /** Null: this notebook has none. */
  workers: v.nullable(FollowedWorkersSchema),
  /** The fullest first, with at most 16 workers in all. */
  cards: v.array(WorkerCardSchema),
  /** Workers that match the filter; one on two GPUs counts twice. */
  total: count
});

/** Reply to `follow`; what becomes of it is told by the engine's state. */
export interface IFollowReply
  extends v.InferOutput<typeof FollowReplySchema> {}
export const FollowReplySchema = v.object({
  type: v.literal("follow"),
  id: v.string()
});

/** Reply to `worker_release`; its end is a `worker_released`. */
export interface IWorkerReleaseReply
  extends v.InferOutput<typeof WorkerReleaseReplySchema> {}
export const WorkerReleaseReplySchema = v.object({
  type: v.literal("worker_release"),
  id: v.string(),
  status: v.picklist(["queued"])
});

/** Reply to `dry_run`. */
export interface IDryRunReply
  extends v.InferOutput<typeof DryRunReplySchema> {}
export const DryRunReplySchema = v.object({
  type: v.literal("dry_run"),
  id: v.string(),
  status: v.picklist(["queued"])
});

/** Any request that cannot be answered. */
export interface IRefusedReply
  extends v.InferOutput<typeof RefusedReplySchema> {}
export const RefusedReplySchema = v.object({
  type: v.literal("refused"),
  id: v.string(),
  message: MessageSchema
});

/** Kernel to page: any body of the debug reply. */
export type Reply = v.InferOutput<typeof ReplySchema>;
export const ReplySchema = v.variant('type', [AttachReplySchema, DetachReplySchema, SampleReplySchema, PlanReplySchema, HoldersReplySchema, PathReplySchema, CellsReplySchema, HistoryReplySchema, SnapshotReplySchema, ReleaseReplySchema, CancelReplySchema, ReportReplySchema, FixReplySchema, CleanupReplySchema, RescueReplySchema, RerunReplySchema, ExplainReplySchema, PresenceReplySchema, WorkersReplySchema, FollowReplySchema, WorkerReleaseReplySchema, DryRunReplySchema, RefusedReplySchema]);

/** What is saved instead of a report when cards are not kept in the notebook: the live helper is asked for the rest. */
export interface IStub
  extends v.InferOutput<typeof StubSchema> {}
export const StubSchema = v.strictObject({
  version: v.string(),
  report_id: v.string(),
  life_id: v.string()
});

export type Request = IAttachRequest | IDetachRequest | ISampleRequest | IPlanRequest | IHoldersRequest | IPathRequest | ICellsRequest | IHistoryRequest | ISnapshotRequest | IReleaseRequest | ICancelRequest | IReportRequest | IFixRequest | ICleanupRequest | IRescueRequest | IRerunRequest | IExplainRequest | IWorkersRequest | IFollowRequest | IWorkerReleaseRequest | IDryRunRequest | IPresenceRequest;

/** What the person's settings ask of the helper. Of all that are attached the cautious choice holds; when all have gone, that of the last. */
export interface IOptions {
  /** Put the card on a cell that ran out of memory. */
  mark_cells: boolean;
  /** Save the card in the notebook; false: save a stub. */
  keep_reports: boolean;
  /** Say names and ids of other processes in the card; false: only what they hold together. */
  name_others: boolean;
  /** Opt-in: have PyTorch record where each allocation was made (Python stacks only). */
  record_allocations: boolean;
  /** After a cell ran out of memory: offer to free what it holds, free it at once, or do neither. */
  after_oom: "ask" | "free" | "never";
  /** Put the helper into workers: offer it, only where a person calls for it, or never. */
  measure_workers: "ask" | "asked" | "never";
}

/** Start or renew a lease: events are sent only while some client's lease is fresh. Idempotent. */
export interface IAttachRequest {
  type: "attach";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  /** One per browser page and kernel. */
  client_id: string;
  /** Whether the page shows this kernel's readings. False: it is told when cells start and end, of failures and of warnings, and its lease lasts longer. */
  visible: boolean;
  /** Wanted samples per second while a cell runs. */
  rate_hz: number;
  options: IOptions;
}

/** End a lease. */
export interface IDetachRequest {
  type: "detach";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  client_id: string;
}

/** Ask for a reading: the poll of an idle kernel. Renews the lease. */
export interface ISampleRequest {
  type: "sample";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  client_id: string;
}

/** Measure what can be freed, between cells; the answer comes as a `plan` event. */
export interface IPlanRequest {
  type: "plan";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  /** Whether a person asked for it and waits: then it may take long, and goes on beside a thread that trains with what can be read safely. What nobody asked for is not measured then. */
  asked: boolean;
}

/** Free. Runs on the main thread when no cell runs; the result comes as a `released` event. The same wish twice while one waits is one release. An item outside the safe set that is not confirmed is refused. */
export interface IReleaseRequest {
  type: "release";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  /** Ids of a plan; `outputs` is all outputs. null: the safe set. */
  items: string[] | null;
  /** Ids whose confirmation a person was asked for and gave. */
  confirmed: string[];
  /** The report whose button was pressed. */
  report_id: string | null;
}

/** Take back a release that still waits, or end a walk. */
export interface ICancelRequest {
  type: "cancel";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  /** The id of a release that waits, or of a request whose walk goes on. */
  cancelled_id: string;
}

/** Is this report yours, and is it alive? Buttons appear only after `known`. */
export interface IReportRequest {
  type: "report";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  life_id: string;
  report_id: string;
}

/** The edit of a remedy, for the cells as they are now. */
export interface IFixRequest {
  type: "fix";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  report_id: string;
  remedy_id: string;
  /** cell id -> its source now */
  sources: Record<string, string>;
}

/** Visible code that frees exactly these items, right when run as is without the helper. */
export interface ICleanupRequest {
  type: "cleanup";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  /** Ids of a plan; null: the safe set. */
  items: string[] | null;
}

/** Save the training that failed to a new file; answered by a `rescue` event. */
export interface IRescueRequest {
  type: "rescue";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  /** The report whose button was pressed. */
  report_id: string;
}

/** What running cells again would cost, after an edit; answered by a `rerun` event. Nothing is freed by it. */
export interface IRerunRequest {
  type: "rerun";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  /** The report whose button was pressed. */
  report_id: string;
  /** Ids of the cells to run, in order. */
  run: string[];
  /** cell id -> its source as it will be; a cell that is not there is as it ran */
  sources: Record<string, string>;
}

/** Measure who holds what, between cells; answered by a `holders` event. */
export interface IHoldersRequest {
  type: "holders";
  id: string;
  protocol_version: string;
  /** Whether a person asked for it and waits: then it may take long, and goes on beside a thread that trains with what can be read safely. What nobody asked for is not measured then. */
  asked: boolean;
}

/** Find what keeps one object of the last `holders` event alive; answered by a `path` event. */
export interface IPathRequest {
  type: "path";
  id: string;
  protocol_version: string;
  holder_id: string;
}

/** Ask for the runs of cells that the helper remembers: a reloaded page knows none. */
export interface ICellsRequest {
  type: "cells";
  id: string;
  protocol_version: string;
}

/** Ask for the readings of the session. */
export interface IHistoryRequest {
  type: "history";
  id: string;
  protocol_version: string;
}

/** Write PyTorch's memory snapshot to a file; answered by a `snapshot` event. */
export interface ISnapshotRequest {
  type: "snapshot";
  id: string;
  protocol_version: string;
  /** In the kernel's file system; null: a new name in its working directory. */
  path: string | null;
}

/** Explain the failure of a process that a command of a cell has started, in that cell. */
export interface IExplainRequest {
  type: "explain";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  /** The cell that started it. */
  cell_id: string;
  /** The id of the request that ran the cell: its outputs stand under it. */
  parent_id: string;
  /** The end of what the cell has printed. */
  printed: string;
}

/** Are you there? Asked of other notebooks' kernels while their list is open; takes no lease. */
export interface IPresenceRequest {
  type: "presence";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
}

/** What an output with a script of ours says of itself, where no extension is. An attribute of its element. */
export interface IFrameOutput {
  uid: string;
  life_id: string;
  kind: "gauge" | "card";
  compact: boolean;
  report_id: string | null;
}

/** What a frame says as it opens its comm: of its output the ids. The version is of this envelope. */
export interface IFrameOpening {
  version: string;
  uid: string;
  life_id: string;
}

/** What a frame says on its comm. `seen` is the highest number of an event that it has got. */
export interface IFrameMessage {
  /** The highest number of an event that it has got. */
  seen: number;
  poll: number;
  request: Request | null;
}

/** The same where no comm can be opened: a function is called by name, and returns the envelope. */
export interface IFrameCall {
  uid: string;
  seen: number;
  request: Request;
}

/** The script of a report's output with its styles, which the output requests: a notebook is saved without them. */
export interface IFrameScript {
  script: string;
  style: string;
}

/** What a frame is sent, whatever the occasion. `poll` is of the message that this answers, `fixed` the cells of a `fix` reply. Events are numbered upward, and come again until the frame has said that it has them. */
export interface IFrameEnvelope {
  life_id: string;
  /** The number of the message that this answers; `null`: it was not asked for. */
  poll: number | null;
  reply: Reply | null;
  /** With the reply to a `fix` request, in the order in which they ran. */
  fixed: IChangedCell[] | null;
  /** Numbered upward; each comes again until the frame has said that it has it. */
  events: [number, Event][];
}

/** A cell as a fix would have it, and as which it ran. */
export interface IChangedCell {
  cell_id: string;
  execution_count: number | null;
  source: string;
}

/** Request the workers on the fullest GPUs. */
export interface IWorkersRequest {
  type: "workers";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  /** Part of the name of a host, GPU or worker; empty: all. */
  filter: string;
}

/** Put the helper into the workers of an engine, or take it back. */
export interface IFollowRequest {
  type: "follow";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  /** As its `followed` has it. */
  engine: string;
  /** False: take it back. */
  follow: boolean;
}

/** Free what one worker does not need, or end it: the latter only after the user agreed. */
export interface IWorkerReleaseRequest {
  type: "worker_release";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  worker_id: string;
  /** `end` only after the user agreed. */
  action: "free" | "end";
}

/** Run cells on a simulated GPU, in a process of its own, or end that; told by `dry_run` events. */
export interface IDryRunRequest {
  type: "dry_run";
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
  /** `end` ends the one that goes on. */
  action: "begin" | "end";
  /** cell id -> its source now, in the order in which they run */
  sources: Record<string, string>;
  /** cell id -> what a person calls it */
  labels: Record<string, string>;
  /** On which edits are tried: its name, or a size; empty: this kernel's. */
  gpu: string;
  /** The report whose edits are tried; null: those that the run itself leads to. */
  report_id: string | null;
  /** Whether a person agreed to what the cells do besides. */
  agreed: boolean;
  /** Whether the largest batch that fits is looked for on each GPU. */
  largest_on_each: boolean;
  /** The last cell of which the host computes values, too; null: none. */
  values_to: string | null;
}
