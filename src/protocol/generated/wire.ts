/*
 * Generated from `protocol.schema.json` by `python -m scripts.wire`; do not edit. Sizes are
 * integer bytes, times are seconds since the epoch, and keys carry their units. No
 * key is optional: what is not known is `null`.
 */
import * as v from 'valibot';

import { atLeast, count, integer, number, plain } from '../value';

/** The helper is running. Also part of the attach reply. */
export interface IHello
  extends v.InferOutput<typeof HelloSchema> {}
export const HelloSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("hello"),
  /** `major.minor`; the major must match. */
  protocol_version: v.string(),
  /** Version of the Python package. */
  helper_version: v.string(),
  /** Random identity of this helper; a new one after every kernel restart. */
  helper_id: v.string(),
  /** All events of this helper are comm messages with this id. */
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
  /** The framework whose allocator is read. */
  name: FrameworkNameSchema,
  /** What the framework calls itself. */
  title: v.string(),
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
  /** The driver's identity of the GPU; null: not known. */
  uuid: v.nullable(v.string()),
  /** True for a simulated device: everything shown of it says so. */
  simulated: v.boolean(),
  /** The GPU's memory, or the limit where a memory fraction is set. */
  capacity_bytes: v.nullable(count),
  /** True where a memory fraction lowers the capacity. */
  capacity_limited: v.boolean(),
  /** Unified memory: the host's programs use the same bytes, so free is what the host has available. */
  shared_with_host: v.boolean(),
  /** Of outside: used by other processes, by the driver; null where it hides them. */
  others_bytes: v.nullable(count),
  /** Free on the GPU. */
  free_bytes: v.nullable(count),
  /** Used on the GPU but not by this kernel's frameworks. */
  outside_bytes: v.nullable(count),
  /** Sum over the frameworks. */
  in_use_bytes: count,
  /** Sum over the frameworks. */
  cached_bytes: count,
  /** outside + in use. */
  used_bytes: v.nullable(count),
  /** free + cached: an upper bound of what this kernel could still get with nothing freed. */
  headroom_bytes: v.nullable(count),
  /** Initialized frameworks with memory on this GPU. */
  frameworks: v.array(FrameworkSchema),
  /** What the user needs to know to read these numbers, such as a pool that was reserved at start. */
  notes: v.array(MessageSchema)
});

/** The kernel's own host memory, and the host's: the container's limit where there is one. */
export interface IHostMemory
  extends v.InferOutput<typeof HostMemorySchema> {}
export const HostMemorySchema = v.object({
  /** Resident in the kernel's process. */
  rss_bytes: v.nullable(count),
  /** What is available without swapping; null: not known. */
  available_bytes: v.nullable(count),
  /** The container's limit, else the machine's memory; null: not known. */
  total_bytes: v.nullable(count),
  /** Processes that the system ended because memory was exhausted: of the kernel's control group, else of the machine. */
  oom_kills: v.nullable(count)
});

/** How memory develops while a cell runs. */
export interface ITrend
  extends v.InferOutput<typeof TrendSchema> {}
export const TrendSchema = v.object({
  /** Index of the GPU, as the framework counts. */
  device_index: count,
  /** `unknown`: not enough readings yet. */
  state: v.picklist(["unknown", "steady", "growing"]),
  /** Growth of what stays, without the cycle of a step; null unless growing. */
  bytes_per_s: v.nullable(count),
  /** Null where no steps could be distinguished. */
  bytes_per_step: v.nullable(count),
  /** Steps of a loop seen so far; null where none could be distinguished. */
  steps: v.nullable(count),
  /** Headroom over growth; null unless growing and headroom is known. */
  full_in_s: v.nullable(number),
  /** Headroom over growth per step; null unless growing and both are known. */
  full_in_steps: v.nullable(count)
});

/** Who sent the work there; `command`: a program that a cell started, `process`: not known. */
export type EngineName = v.InferOutput<typeof EngineNameSchema>;
export const EngineNameSchema = v.picklist(["command", "dask", "ipyparallel", "process", "rank", "ray"]);

/** One engine that this notebook sends work to, and whether its workers are measured. */
export interface IFollowed
  extends v.InferOutput<typeof FollowedSchema> {}
export const FollowedSchema = v.object({
  /** The kind of engine. */
  engine: EngineNameSchema,
  /** Its workers, those that have ended not counted. */
  total: count,
  /** Of them those that send readings. */
  live: count,
  /** `following`: the helper is being installed there; `silent`: the engine does not answer. */
  state: v.picklist(["measured", "not_measured", "following", "silent"]),
  /** For how long it has not answered; null: it answers. */
  silent_s: v.nullable(number),
  /** What the user should know of it, such as why nothing can be measured; null: nothing. */
  message: v.nullable(MessageSchema)
});

/** A worker on one GPU. */
export interface IGpuWorker
  extends v.InferOutput<typeof GpuWorkerSchema> {}
export const GpuWorkerSchema = v.object({
  /** Identity in requests to this helper. */
  id: v.string(),
  /** The engine that sends work to it. */
  engine: EngineNameSchema,
  /** As the engine calls it; null: it has only a rank. */
  name: v.nullable(v.string()),
  /** Of a rank, or the number of an engine of ipyparallel. */
  rank: v.nullable(count),
  /** On its own host. */
  pid: v.nullable(count),
  /** `stale`: no reading came for a while; `ended`: its process is gone. */
  state: v.picklist(["live", "stale", "ended"]),
  /** Since its last reading was received. */
  age_s: number,
  /** In [n] of the cell that started it; null: another program did. */
  execution_count: v.nullable(count),
  /** Whether it outlives that cell. */
  left_over: v.boolean(),
  /** What can be done with it. */
  actions: v.array(v.picklist(["free", "end"])),
  /** By its frameworks on this GPU. */
  in_use_bytes: count,
  /** By its frameworks on this GPU. */
  cached_bytes: count
});

/** A GPU that workers use. */
export interface IWorkerGpu
  extends v.InferOutput<typeof WorkerGpuSchema> {}
export const WorkerGpuSchema = v.object({
  /** Identity of the GPU, the same for all engines. */
  id: v.string(),
  /** Name or address of the machine. */
  host: v.string(),
  /** As its first worker counts. */
  index: v.nullable(count),
  /** The driver's identity of the GPU; null: not known. */
  uuid: v.nullable(v.string()),
  /** Product name. */
  name: v.nullable(v.string()),
  /** True for a simulated GPU. */
  simulated: v.boolean(),
  /** Memory of the GPU; null: not known. */
  capacity_bytes: v.nullable(count),
  /** Used on the GPU, by the newest reading; null: not known. */
  used_bytes: v.nullable(count),
  /** Sum over its workers that have not ended. */
  in_use_bytes: count,
  /** Sum over its workers that have not ended. */
  cached_bytes: count,
  /** Used on the GPU, but by none of its workers; null: not known. */
  outside_bytes: v.nullable(count),
  /** The largest first, at most 8. */
  workers: v.array(GpuWorkerSchema),
  /** How many workers there are besides these. */
  more_workers: count
});

/** What workers use on a GPU of the kernel: part of that device's outside. */
export interface IGpuShare
  extends v.InferOutput<typeof GpuShareSchema> {}
export const GpuShareSchema = v.object({
  /** The GPU, as the kernel counts. */
  device_index: count,
  /** Number of workers. */
  workers: count,
  /** In use and cached. */
  bytes: count
});

/** Summary of the processes that this notebook sends work to. */
export interface IFollowedWorkers
  extends v.InferOutput<typeof FollowedWorkersSchema> {}
export const FollowedWorkersSchema = v.object({
  /** Each engine with workers. */
  engines: v.array(FollowedSchema),
  /** By the frameworks of all that have not ended. */
  in_use_bytes: count,
  /** The GPU with the least headroom; null: none was measured. */
  fullest: v.nullable(WorkerGpuSchema),
  /** What workers use on the kernel's own GPUs: part of their outside. */
  here: v.array(GpuShareSchema)
});

/** The cell in which something was started. */
export interface IStartedBy
  extends v.InferOutput<typeof StartedBySchema> {}
export const StartedBySchema = v.object({
  /** Id of the cell in the notebook; null: not known. */
  cell_id: v.nullable(v.string()),
  /** In [n] of that cell; null: not known. */
  execution_count: v.nullable(count)
});

/** One reading. Sent on a lease while a cell runs: when something changed, and once a second. */
export interface ISample
  extends v.InferOutput<typeof SampleSchema> {}
export const SampleSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("sample"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** Rises by one with each reading of this helper. */
  seq: count,
  /** Seconds since the epoch. */
  time_s: number,
  /** Why `devices` is empty when it is. */
  state: StateSchema,
  /** A cell is running. */
  busy: v.boolean(),
  /** Of frameworks that are live, and of the driver where it could be asked without starting one. */
  devices: v.array(DeviceSchema),
  /** Host memory; null where the system does not provide it. */
  host: v.nullable(HostMemorySchema),
  /** One per device while a cell runs; empty at rest. */
  trends: v.array(TrendSchema),
  /** Ids of releases that wait for the running cell to end; each can be cancelled. */
  queued: v.array(v.string()),
  /** Null: this notebook has none. */
  workers: v.nullable(FollowedWorkersSchema),
  /** The cell that started CUDA; null: CUDA is not started, or was before the helper. */
  cuda_started: v.nullable(StartedBySchema)
});

/** What one run of a cell did to one device. */
export interface ICellMemory
  extends v.InferOutput<typeof CellMemorySchema> {}
export const CellMemorySchema = v.object({
  /** Index of the GPU, as the framework counts. */
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
  /** Index of the GPU, as the framework counts. */
  device_index: count,
  /** How many runs in a row. */
  runs: atLeast(2),
  /** Average growth of the last runs. */
  bytes_per_run: count,
  /** The variable that grew, as the user would write it; null while not measured. */
  holder: v.nullable(v.string())
});

/** A cell started or ended. */
export interface ICell
  extends v.InferOutput<typeof CellSchema> {}
export const CellSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("cell"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** Id of the cell in the notebook; null: not known. */
  cell_id: v.nullable(v.string()),
  /** null at the start on kernels that do not know it yet. */
  execution_count: v.nullable(count),
  /** `oom`: the error was an out-of-memory error of a GPU. */
  status: v.picklist(["running", "ok", "error", "oom"]),
  /** Seconds since the epoch. */
  start_s: number,
  /** Seconds since the epoch; null while the cell runs. */
  end_s: v.nullable(number),
  /** One entry for each GPU that was measured during the run. */
  memory: v.array(CellMemorySchema),
  /** How often this cell ran since the helper started, this run included. */
  run: atLeast(1),
  /** Memory that the last runs of this cell kept, each about as much; null: no such growth. */
  growth: v.nullable(GrowthSchema),
  /** Id, in a release, of the value that this run displayed; null: none, or not known. */
  output_id: v.nullable(v.string()),
  /** CRC-32 of the code that ran, as UTF-8, to detect later changes of the cell; null where the code is too long. */
  source_crc32: v.nullable(count),
  /** The most that was in use by workers while it ran, above what was at its start; null: none were measured. */
  workers_bytes: v.nullable(count)
});

/** A cell ran out of GPU memory; its report is display data of that cell. */
export interface IOom
  extends v.InferOutput<typeof OomSchema> {}
export const OomSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("oom"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** The report below the cell. */
  report_id: v.string(),
  /** Seconds since the epoch. */
  time_s: number,
  /** The cell that failed; null: not known. */
  cell_id: v.nullable(v.string()),
  /** The GPU that was full; null: not known. */
  device_index: v.nullable(count),
  /** What the failing allocation requested; null: not known. */
  requested_bytes: v.nullable(count),
  /** Free on the GPU at that moment; null: not known. */
  available_bytes: v.nullable(count)
});

/** What can be freed. */
export type ItemKind = v.InferOutput<typeof ItemKindSchema>;
export const ItemKindSchema = v.picklist(["traceback", "outputs", "garbage", "cache", "error", "variable", "leftover", "gradients", "optimizer_state", "graph", "offload", "restore", "framework_cache"]);

/** One thing that can be freed. */
export interface IItem
  extends v.InferOutput<typeof ItemSchema> {}
export const ItemSchema = v.object({
  /** Identity in a release: `traceback`, `garbage`, `cache`, `output:5`, or `kind:name`, as in `variable:outputs`. A front end returns it unchanged, and reads `kind` and `name`. */
  id: v.string(),
  /** Where the memory is retained; it decides how it is freed. */
  kind: ItemKindSchema,
  /** The variable that it is about; null: none, or several. */
  name: v.nullable(v.string()),
  /** What is freed, for the checklist. */
  title: MessageSchema,
  /** What the user loses by it. */
  cost: MessageSchema,
  /** What this item alone frees, beside the tracebacks of failed cells, by simulation on the reference graph; null: not measured. */
  expected_bytes: v.nullable(count),
  /** In the safe set: nothing the user named is lost. All others need a confirmation by id. */
  safe: v.boolean(),
  /** Proposed to be checked. */
  selected: v.boolean(),
  /** False for unused cache, which this kernel can use anyway. */
  adds_headroom: v.boolean(),
  /** The user's variables that are deleted, aliases included. */
  names: v.array(v.string()),
  /** What the user has to agree to; null for the safe set. */
  confirm: v.nullable(MessageSchema),
  /** Why it cannot be freed; null: it can. */
  blocked: v.nullable(MessageSchema)
});

/** Bytes that each of these items counts: they are freed once. */
export interface IShared
  extends v.InferOutput<typeof SharedSchema> {}
export const SharedSchema = v.object({
  /** Two at least. */
  ids: v.array(v.string()),
  /** Size of what they share. */
  bytes: count
});

/** What can be freed, measured between cells after a plan request. */
export interface IPlan
  extends v.InferOutput<typeof PlanSchema> {}
export const PlanSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("plan"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** Id of the request that this event completes. */
  request_id: v.string(),
  /** False where time ran out before everything was measured. */
  complete: v.boolean(),
  /** What can be freed, in the order of the checklist. */
  items: v.array(ItemSchema),
  /** Bytes that several items count, the most first. What chosen items give together is the sum of their bytes, less these bytes for each chosen one of its items but the first. */
  shared: v.array(SharedSchema),
  /** Summary in one sentence, or why nothing was measured. */
  message: MessageSchema
});

/** One item of the release. */
export interface IReleasedItem
  extends v.InferOutput<typeof ReleasedItemSchema> {}
export const ReleasedItemSchema = v.object({
  /** Id of the item in the plan. */
  id: v.string(),
  /** Kind of the item in the plan. */
  kind: ItemKindSchema,
  /** What was freed. */
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
  /** What its memory is of. */
  kind: HolderKindSchema,
  /** All that was reached through it first. */
  bytes: count
});

/** A release ended. Freed is in use before minus after; returned to the GPU is reserved before minus after; both measured. */
export interface IReleased
  extends v.InferOutput<typeof ReleasedSchema> {}
export const ReleasedSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("released"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** Id in the reply to the `release` request. */
  release_id: v.string(),
  /** The report that the release was made for; null: none. */
  report_id: v.nullable(v.string()),
  /** Freed after a failure because the settings request it: the user did not click. */
  automatic: v.boolean(),
  /** Seconds since the epoch. */
  time_s: number,
  /** `nothing`: it ran, and freed no memory. */
  status: v.picklist(["done", "nothing", "failed", "cancelled"]),
  /** In use before minus after. */
  freed_bytes: v.nullable(integer),
  /** Reserved before minus after. */
  returned_bytes: v.nullable(integer),
  /** After. */
  in_use_bytes: v.nullable(count),
  /** Headroom before the release; null: not measured. */
  headroom_before_bytes: v.nullable(count),
  /** Headroom after it; null: not measured. */
  headroom_after_bytes: v.nullable(count),
  /** Each requested item with what it freed. */
  items: v.array(ReleasedItemSchema),
  /** The largest holders that are left. */
  still_held: v.array(HolderSchema),
  /** Ids of items that restore something, such as `restore:model`. */
  undo: v.array(v.string()),
  /** What the release freed, or why it did not. */
  message: MessageSchema
});

/** A `worker_release` request was completed. */
export interface IWorkerReleased
  extends v.InferOutput<typeof WorkerReleasedSchema> {}
export const WorkerReleasedSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("worker_released"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** Id of the request that this event completes. */
  request_id: v.string(),
  /** `nothing`: it ran, and freed no memory; `refused`: the worker is busy, gone or unknown; `failed`: it did not answer. */
  status: v.picklist(["done", "nothing", "refused", "failed"]),
  /** What was freed, or why nothing was. */
  message: MessageSchema
});

/** Calls of a cell that have effects outside the notebook; the user agrees to them before anything runs. */
export interface IDryRunAsk
  extends v.InferOutput<typeof DryRunAskSchema> {}
export const DryRunAskSchema = v.object({
  /** The cell that contains these calls. */
  cell_id: v.string(),
  /** As written; commands by their first word. */
  calls: v.array(v.string())
});

/** What memory is: of a GPU when a cell failed, of memory in use by how it is held. */
export type PartKind = v.InferOutput<typeof PartKindSchema>;
export const PartKindSchema = v.picklist(["outside", "named", "graphs", "unnamed", "parameters", "optimizer_state", "gradients", "activations", "other_tensors", "workspaces", "earlier_error", "temporaries", "not_attributed", "cached", "free"]);

/** One part of a sum, such as a segment of the bar of the moment of failure; in its order. */
export interface IPart
  extends v.InferOutput<typeof PartSchema> {}
export const PartSchema = v.object({
  /** What these bytes are. */
  kind: PartKindSchema,
  /** Size of the part. */
  bytes: count
});

/** Whether the cells fit on a GPU. */
export interface IDryRunFit
  extends v.InferOutput<typeof DryRunFitSchema> {}
export const DryRunFitSchema = v.object({
  /** Name of the GPU. */
  gpu: v.string(),
  /** A service that offers this GPU; empty: not known. */
  where: v.string(),
  /** Memory of the GPU that is usable. */
  total_bytes: count,
  /** null: the run did not complete. */
  fits: v.nullable(v.boolean()),
  /** Left at the peak; negative: what is missing; null: not known. */
  left_bytes: v.nullable(integer),
  /** The largest batch with which it fits; null: not searched, or not found. */
  largest: v.nullable(count)
});

/** Lines of one cell to replace, computed from the sources that were sent. */
export interface IEdit
  extends v.InferOutput<typeof EditSchema> {}
export const EditSchema = v.object({
  /** The cell to edit. For a script its path from the notebook's folder, which ends in `.py`; `old_lines` is then its whole text. */
  cell_id: v.string(),
  /** 1-based. */
  first_line: count,
  /** Lines that the edit expects at this place; where they differ, it is not applied. */
  old_lines: v.array(v.string()),
  /** Lines that replace them. */
  new_lines: v.array(v.string())
});

/** Result of an edit that was tried by running it. */
export interface IDryRunTry
  extends v.InferOutput<typeof DryRunTrySchema> {}
export const DryRunTrySchema = v.object({
  /** Id of the remedy that was tried. */
  remedy_id: v.string(),
  /** What was tried. */
  title: MessageSchema,
  /** The number that it sets; null: none. */
  number: v.nullable(integer),
  /** null: it cannot be tried. */
  fits: v.nullable(v.boolean()),
  /** Highest need of the run with the edit; null: not measured. */
  peak_bytes: v.nullable(count),
  /** What came of it, in words. */
  message: MessageSchema,
  /** Edits to apply; empty: those of the remedy. */
  edits: v.array(EditSchema)
});

/** Results of a dry run up to now; every size is simulated. */
export interface IDryRunFound
  extends v.InferOutput<typeof DryRunFoundSchema> {}
export const DryRunFoundSchema = v.object({
  /** Always true: no GPU was used. */
  simulated: v.boolean(),
  /** In use at once, with the driver's context; null: no GPU was used. */
  needed_bytes: v.nullable(count),
  /** Whether everything ran: else `needed_bytes` is a lower bound. */
  whole: v.boolean(),
  /** The cell whose line reached the peak. */
  cell_id: v.nullable(v.string()),
  /** 1-based. */
  line: v.nullable(count),
  /** What the peak consists of. */
  parts: v.array(PartSchema),
  /** What else to know, first what is needed. */
  said: v.array(MessageSchema),
  /** The last cell to run with values, where the run ended because a value was missing; null: it did not. */
  values_to: v.nullable(v.string()),
  /** Name of the number that sets the batch; null: not known. */
  batch: v.nullable(v.string()),
  /** First the one that edits are tried on. */
  fits: v.array(DryRunFitSchema),
  /** The GPU that edits were tried on; null: none. */
  tried_on: v.nullable(v.string()),
  /** Each edit that was tried, in the order of the remedies. */
  tries: v.array(DryRunTrySchema)
});

/** Progress of a dry run. */
export interface IDryRun
  extends v.InferOutput<typeof DryRunSchema> {}
export const DryRunSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("dry_run"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** Id of the request that this event completes. */
  request_id: v.string(),
  /** `asking`: nothing has run, the user has to agree first; `failed`: it stopped before its end. */
  status: v.picklist(["asking", "running", "done", "failed"]),
  /** The current step, or why it stopped. */
  message: v.nullable(MessageSchema),
  /** While `asking`: cells that need consent; else empty. */
  asks: v.array(DryRunAskSchema),
  /** Results up to now; null: none yet. */
  found: v.nullable(DryRunFoundSchema)
});

/** Where an object was made, known while allocation recording is on. */
export interface IAllocationSite
  extends v.InferOutput<typeof AllocationSiteSchema> {}
export const AllocationSiteSchema = v.object({
  /** The cell whose run allocated it; null: not known. */
  cell_id: v.nullable(v.string()),
  /** In [n] of that run; null: not known. */
  execution_count: v.nullable(count),
  /** 1-based. */
  line: v.nullable(atLeast(1))
});

/** One storage or autograd graph under a holder. */
export interface IHeldPart
  extends v.InferOutput<typeof HeldPartSchema> {}
export const HeldPartSchema = v.object({
  /** Identity in a `path` request. */
  id: v.string(),
  /** Path from the holder, such as `.weight` or `[12]`. */
  name: v.string(),
  /** What the storage is of. */
  kind: HolderKindSchema,
  /** The framework that allocated it. */
  framework: FrameworkNameSchema,
  /** Size of the storage, or of what the graph retains. */
  bytes: count,
  /** Retained by an autograd graph only, with no Python object. */
  graph: v.boolean(),
  /** Data type, as the framework names it; null for a graph, or not known. */
  dtype: v.nullable(v.string()),
  /** Shape of the tensor; null for a graph, or not known. */
  shape: v.nullable(v.array(integer)),
  /** The line that allocated it; null while allocation recording is off. */
  allocation_site: v.nullable(AllocationSiteSchema)
});

/** One holder: a variable, a displayed value, the traceback of a failed cell, or what no name reaches. */
export interface IHeld
  extends v.InferOutput<typeof HeldSchema> {}
export const HeldSchema = v.object({
  /** Identity in a `path` request. */
  id: v.string(),
  /** As the user would write it: `model`, `engine.POOL`, `Out[5]`, `In [7]`; empty for what no name reaches. */
  name: v.string(),
  /** modules: globals of modules other than the notebook. garbage: what Python's collector frees. elsewhere: what no Python object leads to. */
  origin: v.picklist(["names", "modules", "outputs", "traceback", "garbage", "elsewhere"]),
  /** What its storages are of; `mixed`: of several kinds. */
  kind: v.picklist(["parameters", "gradients", "optimizer_state", "activations", "tensor", "mixed"]),
  /** The class of the object behind the name, without its module. */
  type_name: v.nullable(v.string()),
  /** All that was reached through it first. */
  bytes: count,
  /** Of these: retained only by autograd graphs. */
  graph_bytes: count,
  /** Storages. */
  count: atLeast(1),
  /** Other names of the same memory. */
  aliases: v.array(v.string()),
  /** The largest first; at most 50. */
  parts: v.array(HeldPartSchema),
  /** What to know about this holder, such as how to free it; null: nothing. */
  hint: v.nullable(MessageSchema)
});

/** Another process on the GPU. */
export interface IProcess
  extends v.InferOutput<typeof ProcessSchema> {}
export const ProcessSchema = v.object({
  /** In this process's namespace; null where it cannot be known. */
  pid: v.nullable(count),
  /** Name of its program; null: not known. */
  name: v.nullable(v.string()),
  /** What it uses on the GPU; null where the driver does not report it. */
  bytes: v.nullable(count)
});

/** What the memory in use of a device consists of: parts that add up to it. */
export interface IHeldDevice
  extends v.InferOutput<typeof HeldDeviceSchema> {}
export const HeldDeviceSchema = v.object({
  /** Index of the GPU, as the framework counts. */
  device_index: count,
  /** Sum over the frameworks when the walk began. */
  in_use_bytes: count,
  /** Named, graphs, unnamed, then what no Python object leads to, and last what is not attributed. */
  parts: v.array(PartSchema),
  /** The largest first; at most 100. */
  rows: v.array(HeldSchema),
  /** Other processes on the same GPU; null where the driver hides them. */
  processes: v.nullable(v.array(ProcessSchema))
});

/** What uses the memory, measured between cells after a `holders` request. */
export interface IHolders
  extends v.InferOutput<typeof HoldersSchema> {}
export const HoldersSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("holders"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** Id of the request; null when the helper measured on its own. */
  request_id: v.nullable(v.string()),
  /** Seconds since the epoch. */
  time_s: number,
  /** Time that the walk took. */
  duration_s: number,
  /** False when it stopped early. */
  complete: v.boolean(),
  /** In [n] of the last cell that had run; null: none. */
  execution_count: v.nullable(count),
  /** Whether allocation recording is on, so that `allocation_site` is known. */
  recording: v.boolean(),
  /** GPUs that are in use. */
  devices: v.array(HeldDeviceSchema),
  /** Summary in one sentence, or why the result is incomplete. */
  message: MessageSchema
});

/** Reference paths from a root to one object, after a `path` request. */
export interface IPath
  extends v.InferOutput<typeof PathSchema> {}
export const PathSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("path"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** Id of the request that this event completes. */
  request_id: v.string(),
  /** The object that was requested. */
  holder_id: v.string(),
  /** False when the search stopped early. */
  complete: v.boolean(),
  /** At most three, the shortest first; each a list of steps from the root. */
  paths: v.array(v.array(MessageSchema)),
  /** How many paths there are, or why there is none. */
  message: MessageSchema
});

/** The allocator's snapshot was written, or could not be. */
export interface ISnapshot
  extends v.InferOutput<typeof SnapshotSchema> {}
export const SnapshotSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("snapshot"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** Id of the request that this event completes. */
  request_id: v.string(),
  /** In the kernel's file system; null where nothing was written. */
  path: v.nullable(v.string()),
  /** Size of the file; null where nothing was written. */
  bytes: v.nullable(count),
  /** Where it was written, or why it was not. */
  message: MessageSchema
});

/** The code that a `cleanup` request asked for. */
export interface ICleanup
  extends v.InferOutput<typeof CleanupSchema> {}
export const CleanupSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("cleanup"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** Id of the request that this event completes. */
  request_id: v.string(),
  /** null where it could not be written. */
  code: v.nullable(v.string()),
  /** What was written, or why nothing was. */
  message: MessageSchema
});

/** A training was saved, or could not be. */
export interface IRescue
  extends v.InferOutput<typeof RescueSchema> {}
export const RescueSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("rescue"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** Id of the request that this event completes. */
  request_id: v.string(),
  /** In the kernel's file system; null where nothing was written. */
  path: v.nullable(v.string()),
  /** Size of the file; null where nothing was written. */
  bytes: v.nullable(count),
  /** Code of a cell that continues from the file; null where nothing was written. */
  code: v.nullable(v.string()),
  /** What was saved, or why nothing was. */
  message: MessageSchema
});

/** What running cells again would cost. */
export interface IRerun
  extends v.InferOutput<typeof RerunSchema> {}
export const RerunSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("rerun"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** Id of the request that this event completes. */
  request_id: v.string(),
  /** `cancelled`: a `cancel` request ended the measurement. */
  status: v.picklist(["ready", "cancelled"]),
  /** What is freed before a cell runs, as `rerun:<number>:<cell id>`: each only if the user agrees to its `confirm`, and only until another cell runs. */
  items: v.array(ItemSchema),
  /** Trained objects that would be lost, or trained again. */
  cautions: v.array(MessageSchema),
  /** Whether trained objects can be saved before, by a `rescue` request. */
  saves: v.boolean()
});

/** A walk that the user requested is still running. */
export interface IProgress
  extends v.InferOutput<typeof ProgressSchema> {}
export const ProgressSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("progress"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** Id of the request that this event completes. */
  request_id: v.string(),
  /** Seconds since the walk began. */
  elapsed_s: number
});

/** A problem that the user can still prevent. */
export interface IWarning
  extends v.InferOutput<typeof WarningSchema> {}
export const WarningSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("warning"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** Seconds since the epoch. */
  time_s: number,
  /** The cell that it is about; null: not known. */
  cell_id: v.nullable(v.string()),
  /** `filling_up`: full soon at this rate; `growth`: more is kept with each run; `retries`: the allocator empties its cache again and again; `swallowed_oom`: the cell caught out-of-memory errors; `beyond_gpu`: more is used than the GPU has; `host_low`: a GPU that shares host memory has little left. */
  kind: v.picklist(["filling_up", "growth", "retries", "swallowed_oom", "beyond_gpu", "host_low"]),
  /** The GPU that it is about; null: none in particular. */
  device_index: v.nullable(count),
  /** The warning in words. */
  message: MessageSchema
});

/** Something in the helper failed; it continues as far as it can. For the log. */
export interface IError
  extends v.InferOutput<typeof ErrorSchema> {}
export const ErrorSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("error"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** Seconds since the epoch. */
  time_s: number,
  /** The request that this ends; null: none. */
  request_id: v.nullable(v.string()),
  /** Part of the helper. */
  where: v.string(),
  /** What failed. */
  message: MessageSchema
});

/** The helper stops on purpose. */
export interface IBye
  extends v.InferOutput<typeof ByeSchema> {}
export const ByeSchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("bye"),
  /** Identity of the helper, as in `hello`. */
  helper_id: v.string(),
  /** `unloaded`: the user unloaded the helper; `replaced`: another helper takes over. */
  reason: v.picklist(["unloaded", "replaced"])
});

/** Kernel to page. */
export type Event = v.InferOutput<typeof EventSchema>;
export const EventSchema = v.variant('type', [HelloSchema, SampleSchema, CellSchema, OomSchema, PlanSchema, ReleasedSchema, WorkerReleasedSchema, DryRunSchema, HoldersSchema, PathSchema, SnapshotSchema, CleanupSchema, RescueSchema, RerunSchema, ProgressSchema, WarningSchema, ErrorSchema, ByeSchema]);

/** Reply to `attach`. */
export interface IAttachReply
  extends v.InferOutput<typeof AttachReplySchema> {}
export const AttachReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("attach"),
  /** Id of the request. */
  id: v.string(),
  /** The helper that answers. */
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
  /** Tag that identifies the message. */
  type: v.literal("detach"),
  /** Id of the request. */
  id: v.string()
});

/** Reply to `sample`. */
export interface ISampleReply
  extends v.InferOutput<typeof SampleReplySchema> {}
export const SampleReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("sample"),
  /** Id of the request. */
  id: v.string(),
  /** The newest reading. */
  sample: SampleSchema,
  /** The running cell, else the last one; null: none has run. */
  cell: v.nullable(CellSchema)
});

/** Reply to `plan`. */
export interface IPlanReply
  extends v.InferOutput<typeof PlanReplySchema> {}
export const PlanReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("plan"),
  /** Id of the request. */
  id: v.string(),
  /** `waiting`: a cell runs, it is measured when that ends. */
  status: v.picklist(["queued", "waiting"])
});

/** Reply to `holders`. */
export interface IHoldersReply
  extends v.InferOutput<typeof HoldersReplySchema> {}
export const HoldersReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("holders"),
  /** Id of the request. */
  id: v.string(),
  /** `waiting`: a cell runs, it is measured when that ends. */
  status: v.picklist(["queued", "waiting"]),
  /** The last measurement, to show while the new one runs; null: none. */
  last: v.nullable(HoldersSchema)
});

/** Reply to `path`. */
export interface IPathReply
  extends v.InferOutput<typeof PathReplySchema> {}
export const PathReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("path"),
  /** Id of the request. */
  id: v.string(),
  /** `waiting`: a cell runs, the search starts when that ends. */
  status: v.picklist(["queued", "waiting"])
});

/** Reply to `cells`. */
export interface ICellsReply
  extends v.InferOutput<typeof CellsReplySchema> {}
export const CellsReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("cells"),
  /** Id of the request. */
  id: v.string(),
  /** Oldest first: at most three runs of a cell, 200 cells. */
  runs: v.array(CellSchema)
});

/** The highest reading of a stretch of time of one device. */
export interface IHistoryPoint
  extends v.InferOutput<typeof HistoryPointSchema> {}
export const HistoryPointSchema = v.object({
  /** Time of that reading, in seconds since the epoch. */
  time_s: number,
  /** Index of the GPU, as the framework counts. */
  device_index: count,
  /** In use at the highest reading of the stretch. */
  in_use_bytes: count,
  /** Cached at that reading. */
  cached_bytes: count,
  /** Outside at that reading; null: not measured. */
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
  /** Tag that identifies the message. */
  type: v.literal("history"),
  /** Id of the request. */
  id: v.string(),
  /** Oldest first: each second of five minutes, and before that eight hours in stretches of 256 s. */
  points: v.array(HistoryPointSchema)
});

/** Reply to `snapshot`. */
export interface ISnapshotReply
  extends v.InferOutput<typeof SnapshotReplySchema> {}
export const SnapshotReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("snapshot"),
  /** Id of the request. */
  id: v.string(),
  /** `waiting`: a cell runs, the file is written when that ends. */
  status: v.picklist(["queued", "waiting"])
});

/** Reply to `release`. */
export interface IReleaseReply
  extends v.InferOutput<typeof ReleaseReplySchema> {}
export const ReleaseReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("release"),
  /** Id of the request. */
  id: v.string(),
  /** Echoed by the `released` event; `cancel` accepts it while the release waits. */
  release_id: v.string(),
  /** queued: runs at once; waiting: a cell runs, it starts when that ends. */
  status: v.picklist(["queued", "waiting"])
});

/** Reply to `cancel`. */
export interface ICancelReply
  extends v.InferOutput<typeof CancelReplySchema> {}
export const CancelReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("cancel"),
  /** Id of the request. */
  id: v.string(),
  /** False: no release that waits and no running walk has this id. */
  cancelled: v.boolean()
});

/** A cause with its evidence. */
export interface ICause
  extends v.InferOutput<typeof CauseSchema> {}
export const CauseSchema = v.object({
  /** Kebab-case id of the rule; docs/rules/<id>.md explains it. */
  rule: v.string(),
  /** The cause in one sentence. */
  claim: MessageSchema,
  /** What was measured or read that supports the claim. */
  evidence: MessageSchema,
  /** What it explains of the memory in use; null: not measured. */
  bytes: v.nullable(count)
});

/** One row of a diff. */
export interface IDiffRow
  extends v.InferOutput<typeof DiffRowSchema> {}
export const DiffRowSchema = v.object({
  /** ` `: unchanged, `-`: removed, `+`: added. */
  sign: v.picklist([" ", "-", "+"]),
  /** 1-based line in the cell before the change (for `+`: after it). */
  line: count,
  /** The line of code, without its line break. */
  text: v.string()
});

/** What an edit would change, for display only: the edit itself is requested from the live helper. */
export interface IDiff
  extends v.InferOutput<typeof DiffSchema> {}
export const DiffSchema = v.object({
  /** The cell it edits. */
  cell_id: v.nullable(v.string()),
  /** Path, from the notebook's folder, of the script that it edits in place of a cell. */
  file: v.nullable(v.string()),
  /** In [n] of that cell when it last ran. */
  execution_count: v.nullable(count),
  /** Changed lines; an insertion has a line around it. Long parts that stay are `…`. */
  rows: v.array(DiffRowSchema),
  /** What the new lines set, as code, such as `batch_size = 512`; null: nothing. */
  sets: v.nullable(v.string())
});

/** Something the user can do about this failure, offered only where the numbers support it. */
export interface IRemedy
  extends v.InferOutput<typeof RemedySchema> {}
export const RemedySchema = v.object({
  /** Identity within this report, such as `free-traceback` or `smaller-batch`. */
  id: v.string(),
  /** What its button does: `release` frees items, `edit` changes cells, `snippet` inserts a cell, `restart` restarts the kernel, `save` saves the training; a `suggestion` has no button. */
  kind: v.picklist(["release", "edit", "snippet", "suggestion", "restart", "save"]),
  /** What to do, in one sentence. */
  title: MessageSchema,
  /** What to know before, or why it helps. */
  note: MessageSchema,
  /** Bytes that it is expected to free or save; null: not measured. */
  effect_bytes: v.nullable(count),
  /** How `effect_bytes` is known; `at_least`: a lower bound. */
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
  /** What the number is. */
  label: MessageSchema,
  /** null: not measured. */
  bytes: v.nullable(integer),
  /** Where the number comes from, such as the driver or the error message. */
  source: MessageSchema
});

/** A program or driver that took part in a failure, and its version. */
export interface IVersion
  extends v.InferOutput<typeof VersionSchema> {}
export const VersionSchema = v.object({
  /** A proper name, such as `PyTorch`. */
  name: v.string(),
  /** As the program or driver reports it. */
  version: v.string()
});

/** A process other than the kernel that works for its notebook, as the error names it. */
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

/** The line of a cell that failed in another process. */
export interface IOrigin
  extends v.InferOutput<typeof OriginSchema> {}
export const OriginSchema = v.object({
  /** The cell that defines the function. */
  cell_id: v.nullable(v.string()),
  /** In [n] of that cell when it last ran; null: not known. */
  execution_count: v.nullable(count),
  /** 1-based line of that cell. */
  line: count,
  /** Its function, such as `train`. */
  function: v.string()
});

/** The out-of-memory report: one model, laid out by every renderer. In a notebook it is untrusted text; only a live helper's own copy is acted on. */
export interface IReport
  extends v.InferOutput<typeof ReportSchema> {}
export const ReportSchema = v.object({
  /** Version of this model: `1.1`. */
  version: v.string(),
  /** Identity of this report; unchanged when it is completed. */
  report_id: v.string(),
  /** Identity of the helper that made it. */
  helper_id: v.string(),
  /** Seconds since the epoch. */
  time_s: number,
  /** True where the GPU was simulated. */
  simulated: v.boolean(),
  /** The framework whose allocation failed. */
  framework: FrameworkNameSchema,
  /** Class of the error, such as `OutOfMemoryError`. */
  error_name: v.string(),
  /** The cell that failed; null: not known. */
  cell_id: v.nullable(v.string()),
  /** In [n] of the cell that failed; null: not known. */
  execution_count: v.nullable(count),
  /** 1-based line of the failing cell. */
  line: v.nullable(count),
  /** The GPU that was full, as the framework counts; null: not known. */
  device_index: v.nullable(count),
  /** Product name of that GPU; null: not known. */
  device_name: v.nullable(v.string()),
  /** Memory of that GPU, or the limit that the process had; null: not known. */
  capacity_bytes: v.nullable(count),
  /** What the failing allocation requested, as the error states it; null: not known. */
  requested_bytes: v.nullable(count),
  /** Free on the GPU at that moment, by the driver or the error; null: not known. */
  available_bytes: v.nullable(count),
  /** In live tensors at the moment of the failure; null: not measured. */
  in_use_bytes: v.nullable(count),
  /** Kept by the framework's allocator and not in use at that moment; null: not measured. */
  cached_bytes: v.nullable(count),
  /** Used on the GPU but not by this kernel's frameworks at that moment; null: not measured. */
  outside_bytes: v.nullable(count),
  /** What filled the GPU, for the bar; empty: not measured. */
  parts: v.array(PartSchema),
  /** In use that only the failed cell's traceback keeps; null: not measured. */
  traceback_bytes: v.nullable(count),
  /** The largest variables that the traceback keeps. */
  traceback_variables: v.array(HolderSchema),
  /** The largest named holders at the moment of the report. */
  holders: v.array(HolderSchema),
  /** The one to act on first; null: no single cause is likely. */
  cause: v.nullable(CauseSchema),
  /** Other causes that hold as well, ranked. */
  further_causes: v.array(CauseSchema),
  /** Whether the failing request fits once the traceback is freed; null: not known. */
  fits_after_free: v.nullable(v.boolean()),
  /** What the user can do, in order of preference. */
  remedies: v.array(RemedySchema),
  /** The numbers behind the report with their sources. */
  details: v.array(DetailSchema),
  /** What took part in the failure, as far as it is known. */
  versions: v.array(VersionSchema),
  /** CUDA failed permanently in this kernel (a device-side assert, an illegal access): only a restart helps. */
  sticky_error: v.boolean(),
  /** The measurement continues between cells; the report is completed in place, and another `oom` event announces it. */
  looking: v.boolean(),
  /** The process that ran out of memory; null: the kernel itself. */
  worker: v.nullable(WorkerSchema),
  /** Where a worker failed, if that is in a cell. */
  origin: v.nullable(OriginSchema),
  /** How many other workers failed in the same way. */
  also_failed: count,
  /** Where the numbers come from: measured in the kernel, by the worker in itself, or those of the message only. */
  measured: v.picklist(["kernel", "worker", "message"])
});

/** Reply to `report`. */
export interface IReportReply
  extends v.InferOutput<typeof ReportReplySchema> {}
export const ReportReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("report"),
  /** Id of the request. */
  id: v.string(),
  /** `known`: this helper made the report, and still has it. */
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
  /** Tag that identifies the message. */
  type: v.literal("fix"),
  /** Id of the request. */
  id: v.string(),
  /** changed: the cell no longer has the line. */
  status: v.picklist(["ok", "changed", "unknown"]),
  /** What to change in each cell; empty where the edit cannot be made. */
  edits: v.array(EditSchema),
  /** Cell ids to run, in this order, for *Apply and re-run*. */
  run: v.array(v.string()),
  /** What the edit changes, or why it cannot be made. */
  message: MessageSchema,
  /** What running these cells again would repeat besides the computation, such as writing a file; null: nothing is known of it. */
  caution: v.nullable(MessageSchema)
});

/** Reply to `cleanup`. */
export interface ICleanupReply
  extends v.InferOutput<typeof CleanupReplySchema> {}
export const CleanupReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("cleanup"),
  /** Id of the request. */
  id: v.string(),
  /** `waiting`: a cell runs, the code is written when that ends. */
  status: v.picklist(["queued", "waiting"])
});

/** Reply to `rescue`. */
export interface IRescueReply
  extends v.InferOutput<typeof RescueReplySchema> {}
export const RescueReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("rescue"),
  /** Id of the request. */
  id: v.string(),
  /** `waiting`: a cell runs, the file is written when that ends. */
  status: v.picklist(["queued", "waiting"])
});

/** Reply to `rerun`. */
export interface IRerunReply
  extends v.InferOutput<typeof RerunReplySchema> {}
export const RerunReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("rerun"),
  /** Id of the request. */
  id: v.string(),
  /** `waiting`: a cell runs, the cost is measured when that ends. */
  status: v.picklist(["queued", "waiting"])
});

/** Reply to `explain`; the report is displayed below the cell. */
export interface IExplainReply
  extends v.InferOutput<typeof ExplainReplySchema> {}
export const ExplainReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("explain"),
  /** Id of the request. */
  id: v.string(),
  /** Null: the text reports no full GPU, or the cell already has its report. */
  report_id: v.nullable(v.string())
});

/** Reply to `presence`: what this kernel uses, and since when it is idle. */
export interface IPresenceReply
  extends v.InferOutput<typeof PresenceReplySchema> {}
export const PresenceReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("presence"),
  /** Id of the request. */
  id: v.string(),
  /** The newest reading; null: none yet. */
  sample: v.nullable(SampleSchema),
  /** End of the last cell; null: a cell runs, or none has run yet. */
  idle_since_s: v.nullable(number)
});

/** Reply to `workers`. */
export interface IWorkersReply
  extends v.InferOutput<typeof WorkersReplySchema> {}
export const WorkersReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("workers"),
  /** Id of the request. */
  id: v.string(),
  /** Null: this notebook has none. */
  workers: v.nullable(FollowedWorkersSchema),
  /** The fullest first, with at most 16 workers in all. */
  gpus: v.array(WorkerGpuSchema),
  /** Workers that match the filter; one on two GPUs counts twice. */
  total: count
});

/** Reply to `follow`; the engine's state shows the result. */
export interface IFollowReply
  extends v.InferOutput<typeof FollowReplySchema> {}
export const FollowReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("follow"),
  /** Id of the request. */
  id: v.string()
});

/** Reply to `worker_release`; the result is a `worker_released` event. */
export interface IWorkerReleaseReply
  extends v.InferOutput<typeof WorkerReleaseReplySchema> {}
export const WorkerReleaseReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("worker_release"),
  /** Id of the request. */
  id: v.string(),
  /** Always `queued`: the result is an event. */
  status: v.picklist(["queued"])
});

/** Reply to `dry_run`. */
export interface IDryRunReply
  extends v.InferOutput<typeof DryRunReplySchema> {}
export const DryRunReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("dry_run"),
  /** Id of the request. */
  id: v.string(),
  /** Always `queued`: the progress comes as events. */
  status: v.picklist(["queued"])
});

/** Any request that cannot be answered. */
export interface IRefusedReply
  extends v.InferOutput<typeof RefusedReplySchema> {}
export const RefusedReplySchema = v.object({
  /** Tag that identifies the message. */
  type: v.literal("refused"),
  /** Id of the request. */
  id: v.string(),
  /** Why the request was refused. */
  message: MessageSchema
});

/** Kernel to page: any body of the debug reply. */
export type Reply = v.InferOutput<typeof ReplySchema>;
export const ReplySchema = v.variant('type', [AttachReplySchema, DetachReplySchema, SampleReplySchema, PlanReplySchema, HoldersReplySchema, PathReplySchema, CellsReplySchema, HistoryReplySchema, SnapshotReplySchema, ReleaseReplySchema, CancelReplySchema, ReportReplySchema, FixReplySchema, CleanupReplySchema, RescueReplySchema, RerunReplySchema, ExplainReplySchema, PresenceReplySchema, WorkersReplySchema, FollowReplySchema, WorkerReleaseReplySchema, DryRunReplySchema, RefusedReplySchema]);

/** What is saved instead of a report when reports are not kept in the notebook: the live helper supplies the rest. */
export interface IStub
  extends v.InferOutput<typeof StubSchema> {}
export const StubSchema = v.strictObject({
  /** Version of the report model. */
  version: v.string(),
  /** Identity of the report to request. */
  report_id: v.string(),
  /** Identity of the helper that has it. */
  helper_id: v.string()
});

export type Request = IAttachRequest | IDetachRequest | ISampleRequest | IPlanRequest | IHoldersRequest | IPathRequest | ICellsRequest | IHistoryRequest | ISnapshotRequest | IReleaseRequest | ICancelRequest | IReportRequest | IFixRequest | ICleanupRequest | IRescueRequest | IRerunRequest | IExplainRequest | IWorkersRequest | IFollowRequest | IWorkerReleaseRequest | IDryRunRequest | IPresenceRequest;

/** What the user's settings request from the helper. Of all attached clients the most cautious choice applies; when all have left, that of the last. */
export interface IOptions {
  /** Put the report on a cell that ran out of memory. */
  mark_cells: boolean;
  /** Save the report in the notebook; false: save a stub. */
  keep_reports: boolean;
  /** Give names and ids of other processes in the report; false: only their total. */
  name_others: boolean;
  /** Opt-in: have PyTorch record where each allocation was made (Python stacks only). */
  record_allocations: boolean;
  /** After a cell ran out of memory: offer to free what it holds, free it at once, or do neither. */
  after_oom: "ask" | "free" | "never";
  /** Put the helper into workers: offer it, only where the user requests it, or never. */
  measure_workers: "ask" | "asked" | "never";
}

/** Start or renew a lease: events are sent only while some client's lease is fresh. Idempotent. */
export interface IAttachRequest {
  /** Tag that identifies the message. */
  type: "attach";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** One per browser page and kernel. */
  client_id: string;
  /** Whether the front end shows the readings of this kernel. False: it receives starts and ends of cells, failures and warnings, and its lease lasts longer. */
  visible: boolean;
  /** Requested samples per second while a cell runs. */
  rate_hz: number;
  /** Settings that apply while the lease lasts. */
  options: IOptions;
}

/** End a lease. */
export interface IDetachRequest {
  /** Tag that identifies the message. */
  type: "detach";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** The client whose lease ends. */
  client_id: string;
}

/** Request a reading: the poll of an idle kernel. Renews the lease. */
export interface ISampleRequest {
  /** Tag that identifies the message. */
  type: "sample";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** The client whose lease is renewed. */
  client_id: string;
}

/** Measure what can be freed, between cells; answered by a `plan` event. */
export interface IPlanRequest {
  /** Tag that identifies the message. */
  type: "plan";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** Whether the user requested it and waits: then it may take long, and runs beside a thread that trains, with what can be read safely. Otherwise it is not measured then. */
  asked: boolean;
}

/** Free items. Runs on the main thread when no cell runs; answered by a `released` event. The same request twice while one waits is one release. An item outside the safe set that is not confirmed is refused. */
export interface IReleaseRequest {
  /** Tag that identifies the message. */
  type: "release";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** Ids of a plan; `outputs` is all outputs. null: the safe set. */
  items: string[] | null;
  /** Ids that the user was asked to confirm, and confirmed. */
  confirmed: string[];
  /** The report whose button was clicked; null: none. */
  report_id: string | null;
}

/** Cancel a release that still waits, or stop a walk. */
export interface ICancelRequest {
  /** Tag that identifies the message. */
  type: "cancel";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** Id of a release that waits, or of a request whose walk is running. */
  cancelled_id: string;
}

/** Ask whether this helper made a report and still has it. Buttons appear only after `known`. */
export interface IReportRequest {
  /** Tag that identifies the message. */
  type: "report";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** Identity of the helper that the report names. */
  helper_id: string;
  /** The report in the notebook. */
  report_id: string;
}

/** The edit of a remedy, for the cells as they are now. */
export interface IFixRequest {
  /** Tag that identifies the message. */
  type: "fix";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** The report that has the remedy. */
  report_id: string;
  /** Id of the remedy within that report. */
  remedy_id: string;
  /** cell id -> its source now */
  sources: Record<string, string>;
}

/** Write code for a cell that frees exactly these items, also when run without the helper. */
export interface ICleanupRequest {
  /** Tag that identifies the message. */
  type: "cleanup";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** Ids of a plan; null: the safe set. */
  items: string[] | null;
}

/** Save the training that failed to a new file; answered by a `rescue` event. */
export interface IRescueRequest {
  /** Tag that identifies the message. */
  type: "rescue";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** The report whose button was clicked. */
  report_id: string;
}

/** What running cells again would cost, after an edit; answered by a `rerun` event. Nothing is freed by it. */
export interface IRerunRequest {
  /** Tag that identifies the message. */
  type: "rerun";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** The report whose button was pressed. */
  report_id: string;
  /** Ids of the cells to run, in order. */
  run: string[];
  /** cell id -> its source after the edit; a cell that is missing is as it ran */
  sources: Record<string, string>;
}

/** Measure what uses the memory, between cells; answered by a `holders` event. */
export interface IHoldersRequest {
  /** Tag that identifies the message. */
  type: "holders";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** Whether the user requested it and waits: then it may take long, and runs beside a thread that trains, with what can be read safely. Otherwise it is not measured then. */
  asked: boolean;
}

/** Find what keeps one object of the last `holders` event alive; answered by a `path` event. */
export interface IPathRequest {
  /** Tag that identifies the message. */
  type: "path";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** Id of a row or part of the last `holders` event. */
  holder_id: string;
}

/** Request the runs of cells that the helper remembers, after the page was reloaded. */
export interface ICellsRequest {
  /** Tag that identifies the message. */
  type: "cells";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
}

/** Request the readings of the session. */
export interface IHistoryRequest {
  /** Tag that identifies the message. */
  type: "history";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
}

/** Write PyTorch's memory snapshot to a file; answered by a `snapshot` event. */
export interface ISnapshotRequest {
  /** Tag that identifies the message. */
  type: "snapshot";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** In the kernel's file system; null: a new name in its working directory. */
  path: string | null;
}

/** Explain the failure of a process that a command of a cell has started, in that cell. */
export interface IExplainRequest {
  /** Tag that identifies the message. */
  type: "explain";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** The cell that started it. */
  cell_id: string;
  /** Id of the request that ran the cell: the report is displayed among its outputs. */
  parent_id: string;
  /** The end of what the cell printed. */
  printed: string;
}

/** Ask other notebooks' kernels whether a helper runs there, while their list is open; takes no lease. */
export interface IPresenceRequest {
  /** Tag that identifies the message. */
  type: "presence";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
}

/** The attribute by which an output with a script identifies itself, where no extension is installed. */
export interface IFrameOutput {
  /** Random identity of the output. */
  uid: string;
  /** Identity of the helper, as in `hello`. */
  helper_id: string;
  /** What the output shows. */
  kind: "gauge" | "report";
  /** Whether a gauge is drawn as one line. */
  compact: boolean;
  /** The report that it shows; null for a gauge. */
  report_id: string | null;
}

/** What a frame sends when it opens its comm. */
export interface IFrameOpening {
  /** Version of the envelope. */
  version: string;
  /** Identity of the output. */
  uid: string;
  /** Identity of the helper that made the output. */
  helper_id: string;
}

/** What a frame sends on its comm. */
export interface IFrameMessage {
  /** The highest number of an event that the frame has received. */
  seen: number;
  /** Number of this message; the envelope that answers it has the same. */
  poll: number;
  /** The request that it carries; null: a poll only. */
  request: Request | null;
}

/** The same where no comm can be opened: a function is called by name, and returns the envelope. */
export interface IFrameCall {
  /** Identity of the output. */
  uid: string;
  /** The highest number of an event that the frame has received. */
  seen: number;
  /** The request that it carries. */
  request: Request;
}

/** The script of a report's output with its styles, which the output requests: a notebook is saved without them. */
export interface IFrameScript {
  /** JavaScript source. */
  script: string;
  /** CSS source. */
  style: string;
}

/** Everything that a frame receives. */
export interface IFrameEnvelope {
  /** Identity of the helper, as in `hello`. */
  helper_id: string;
  /** Number of the message that this answers; null: none. */
  poll: number | null;
  /** Reply to the request of that message; null: it had none. */
  reply: Reply | null;
  /** Cells of a `fix` reply, in the order in which they ran. */
  fixed: IChangedCell[] | null;
  /** Numbered upward; each is repeated until the frame has confirmed it. */
  events: [number, Event][];
}

/** A cell with its source after an edit. */
export interface IChangedCell {
  /** The cell that was changed. */
  cell_id: string;
  /** In [n] of its run; null: it did not run. */
  execution_count: number | null;
  /** Its whole source after the change. */
  source: string;
}

/** Request the workers on the fullest GPUs. */
export interface IWorkersRequest {
  /** Tag that identifies the message. */
  type: "workers";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** Part of the name of a host, GPU or worker; empty: all. */
  filter: string;
}

/** Install the helper in the workers of an engine, or remove it. */
export interface IFollowRequest {
  /** Tag that identifies the message. */
  type: "follow";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** As in `followed`. */
  engine: string;
  /** False: remove it. */
  follow: boolean;
}

/** Free what one worker does not need, or end it. */
export interface IWorkerReleaseRequest {
  /** Tag that identifies the message. */
  type: "worker_release";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** Id of a worker in the reply to `workers`. */
  worker_id: string;
  /** `end` only after the user agreed. */
  action: "free" | "end";
}

/** Run cells on a simulated GPU, in a process of its own, or end that run; answered by `dry_run` events. */
export interface IDryRunRequest {
  /** Tag that identifies the message. */
  type: "dry_run";
  /** Echoed by the reply. */
  id: string;
  /** Version that the sender uses, as `major.minor`; another major version is refused. */
  protocol_version: string;
  /** `end` stops the one that is running. */
  action: "begin" | "end";
  /** cell id -> its source now, in the order in which they run */
  sources: Record<string, string>;
  /** cell id -> its name for the user */
  labels: Record<string, string>;
  /** The GPU on which edits are tried: its name, or a size; empty: that of this kernel. */
  gpu: string;
  /** The report whose edits are tried; null: those that the run itself leads to. */
  report_id: string | null;
  /** Whether the user agreed to the effects of the cells. */
  agreed: boolean;
  /** Whether to search for the largest batch on each GPU. */
  largest_on_each: boolean;
  /** The last cell whose values are computed, too; null: none. */
  values_to: string | null;
}
