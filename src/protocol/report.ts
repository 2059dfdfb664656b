import * as v from 'valibot';

import { event } from './envelope';
import { HolderSchema } from './holders';
import { FrameworkNameSchema } from './memory';
import { MessageSchema } from './message';
import { PartSchema } from './part';
import { count, integer, number } from './value';
import { EngineNameSchema } from './workers';

export interface IDiffRow extends v.InferOutput<typeof DiffRowSchema> {}
export const DiffRowSchema = v.object({
  sign: v.picklist([' ', '-', '+']),
  /** 1-based line in the cell before the change; for `+`, after it. */
  line: count,
  text: v.string()
});

/** What a fix would change in one cell, or in a script, for show only. */
export interface IDiff extends v.InferOutput<typeof DiffSchema> {}
export const DiffSchema = v.object({
  cell_id: v.nullable(v.string()),
  /** Path of the script, from the notebook's folder; `null`: it is of a cell. */
  file: v.nullable(v.string()),
  execution_count: v.nullable(count),
  rows: v.array(DiffRowSchema),
  /** What the new lines set, as code: `batch_size = 512`; `null`: nothing. */
  sets: v.nullable(v.string())
});

/** Something a person can do about a failure. */
export interface IRemedy extends v.InferOutput<typeof RemedySchema> {}
export const RemedySchema = v.object({
  /** Identity within its report. */
  id: v.string(),
  kind: v.picklist([
    'release',
    'edit',
    'snippet',
    'suggestion',
    'restart',
    'save'
  ]),
  title: MessageSchema,
  note: MessageSchema,
  /** Bytes that it is expected to give back or save. */
  effect_bytes: v.nullable(count),
  effect_quality: v.picklist([
    'measured',
    'estimated',
    'at_least',
    'not_measured'
  ]),
  /** What to type where there are no buttons; of a snippet the code of its cell. */
  type_this: v.nullable(v.string()),
  /** One for each cell that an edit or a suggestion changes. */
  diffs: v.array(DiffSchema),
  /** Code that shows a suggestion; `null` where the diffs or the note say it. */
  example: v.nullable(v.string())
});

/** A cause with its evidence. */
export interface ICause extends v.InferOutput<typeof CauseSchema> {}
export const CauseSchema = v.object({
  /** Kebab-case id of the rule. */
  rule: v.string(),
  claim: MessageSchema,
  evidence: MessageSchema,
  /** What it explains of the memory in use. */
  bytes: v.nullable(count)
});

/** One row of the table under Details. */
export interface IDetail extends v.InferOutput<typeof DetailSchema> {}
export const DetailSchema = v.object({
  label: MessageSchema,
  bytes: v.nullable(integer),
  source: MessageSchema
});

/** A program or driver that took part in a failure. */
export const VersionSchema = v.object({
  /** A proper name, such as `PyTorch`. */
  name: v.string(),
  version: v.string()
});

/** A process other than the kernel that works for its notebook, as far as an error names it. */
export interface IWorker extends v.InferOutput<typeof WorkerSchema> {}
export const WorkerSchema = v.object({
  /** Who sent the work there; `command`: a program that a cell started. */
  engine: EngineNameSchema,
  /** Of a rank, or the number of an engine of ipyparallel. */
  rank: v.nullable(count),
  /** On its own host. */
  pid: v.nullable(count),
  host: v.nullable(v.string())
});

/** The line of a cell that failed in another process: of the cell that defines what ran there. */
export const OriginSchema = v.object({
  cell_id: v.nullable(v.string()),
  execution_count: v.nullable(count),
  line: count,
  function: v.string()
});

/** What is saved instead of a report when cards are not kept. */
export interface IStub extends v.InferOutput<typeof StubSchema> {}
export const StubSchema = v.strictObject({
  version: v.string(),
  report_id: v.string(),
  life_id: v.string()
});

/** The out-of-memory card: untrusted text until a live helper confirms it. */
export interface IReport extends v.InferOutput<typeof ReportSchema> {}
export const ReportSchema = v.object({
  ...StubSchema.entries,
  time_s: number,
  simulated: v.boolean(),
  /** CUDA failed for good in this kernel: only a restart helps. */
  sticky_error: v.boolean(),
  framework: FrameworkNameSchema,
  error_name: v.string(),
  cell_id: v.nullable(v.string()),
  execution_count: v.nullable(count),
  line: v.nullable(count),
  device_index: v.nullable(count),
  device_name: v.nullable(v.string()),
  capacity_bytes: v.nullable(count),
  requested_bytes: v.nullable(count),
  available_bytes: v.nullable(count),
  in_use_bytes: v.nullable(count),
  cached_bytes: v.nullable(count),
  outside_bytes: v.nullable(count),
  parts: v.array(PartSchema),
  traceback_bytes: v.nullable(count),
  traceback_variables: v.array(HolderSchema),
  holders: v.array(HolderSchema),
  /** The one to act on first; `null`: no single cause stands out. */
  cause: v.nullable(CauseSchema),
  /** Others that hold as well, ranked. */
  further_causes: v.array(CauseSchema),
  fits_after_free: v.nullable(v.boolean()),
  remedies: v.array(RemedySchema),
  details: v.array(DetailSchema),
  versions: v.array(VersionSchema),
  /** The measurement goes on between cells: the card is completed in place. */
  looking: v.boolean(),
  /** The process that ran out; `null`: the kernel itself. */
  worker: v.nullable(WorkerSchema),
  /** Where a worker failed, if that is in a cell. */
  origin: v.nullable(OriginSchema),
  /** Other workers that failed likewise. */
  also_failed: count,
  /** Where the numbers come from: the kernel, the worker, or its message only. */
  measured: v.picklist(['kernel', 'worker', 'message'])
});

/** A training was saved, or could not be. */
export interface IRescue extends v.InferOutput<typeof RescueSchema> {}
export const RescueSchema = event('rescue', {
  request_id: v.string(),
  /** In the kernel's file system; `null` where nothing was written. */
  path: v.nullable(v.string()),
  bytes: v.nullable(count),
  /** The cell that goes on from the file. */
  code: v.nullable(v.string()),
  message: MessageSchema
});

/** Lines of one cell to replace, computed from the sources that were sent. */
export interface IEdit extends v.InferOutput<typeof EditSchema> {}
export const EditSchema = v.object({
  /** Of a script its path, and its old lines are all that it has. */
  cell_id: v.string(),
  /** 1-based. */
  first_line: count,
  old_lines: v.array(v.string()),
  new_lines: v.array(v.string())
});
