import * as v from 'valibot';

import { event } from './envelope';
import { MessageSchema } from './message';
import { PartSchema } from './part';
import { EditSchema } from './report';
import { count, integer } from './value';

/** What a cell does that others would notice: a person is asked before it runs. */
export interface IDryRunAsk extends v.InferOutput<typeof DryRunAskSchema> {}
export const DryRunAskSchema = v.object({
  cell_id: v.string(),
  /** As they are written, commands by their first word. */
  calls: v.array(v.string())
});

/** Whether it fits on a GPU. */
export interface IDryRunFit extends v.InferOutput<typeof DryRunFitSchema> {}
export const DryRunFitSchema = v.object({
  gpu: v.string(),
  /** Who lends it; empty: not known. */
  where: v.string(),
  total_bytes: count,
  /** `null`: the run came to no end. */
  fits: v.nullable(v.boolean()),
  /** At the peak; negative: what is missing. */
  left_bytes: v.nullable(integer),
  /** The largest batch with which it fits; `null`: not looked for, or not found. */
  largest: v.nullable(count)
});

/** What came of an edit, by running it. */
export interface IDryRunTry extends v.InferOutput<typeof DryRunTrySchema> {}
export const DryRunTrySchema = v.object({
  remedy_id: v.string(),
  title: MessageSchema,
  /** What it sets, where it sets a number. */
  number: v.nullable(integer),
  /** `null`: it cannot be tried. */
  fits: v.nullable(v.boolean()),
  peak_bytes: v.nullable(count),
  message: MessageSchema,
  edits: v.array(EditSchema)
});

/** What a dry run has found so far: every size is simulated. */
export interface IDryRunFound extends v.InferOutput<typeof DryRunFoundSchema> {}
export const DryRunFoundSchema = v.object({
  simulated: v.boolean(),
  /** In use at once, with the driver's context; `null`: no GPU was used. */
  needed_bytes: v.nullable(count),
  /** Whether all of it ran: else at least so much is needed. */
  whole: v.boolean(),
  /** Of the line that reached the peak. */
  cell_id: v.nullable(v.string()),
  line: v.nullable(count),
  parts: v.array(PartSchema),
  /** What else is to be known, first what is needed. */
  said: v.array(MessageSchema),
  /** Where it ended for want of a value, perhaps: the last cell to be run with values. */
  values_to: v.nullable(v.string()),
  /** What the number that sets the batch is called; `null`: not known. */
  batch: v.nullable(v.string()),
  /** First the one that edits are tried on. */
  fits: v.array(DryRunFitSchema),
  tried_on: v.nullable(v.string()),
  tries: v.array(DryRunTrySchema)
});

/** How far a dry run is. */
export interface IDryRun extends v.InferOutput<typeof DryRunSchema> {}
export const DryRunSchema = event('dry_run', {
  request_id: v.string(),
  /** `asking`: nothing has run; `failed`: it ended before its end. */
  status: v.picklist(['asking', 'running', 'done', 'failed']),
  /** What it does now, or why it ended. */
  message: v.nullable(MessageSchema),
  asks: v.array(DryRunAskSchema),
  found: v.nullable(DryRunFoundSchema)
});
