import * as v from 'valibot';

import { event } from './envelope';
import { HolderSchema } from './holders';
import { MessageSchema } from './message';
import { count, integer, number } from './value';

/** What sort of thing an item frees. */
export const ItemKindSchema = v.picklist([
  'traceback',
  'outputs',
  'garbage',
  'cache',
  'error',
  'variable',
  'leftover',
  'gradients',
  'optimizer_state',
  'graph',
  'offload',
  'restore',
  'framework_cache'
]);

/** One thing that can be freed. */
export interface IItem extends v.InferOutput<typeof ItemSchema> {}
export const ItemSchema = v.object({
  /** Names it in a release; what it is about say `kind` and `name`. */
  id: v.string(),
  kind: ItemKindSchema,
  /** The person's variable that it is about; `null`: none, or several. */
  name: v.nullable(v.string()),
  title: MessageSchema,
  /** What a person loses by it. */
  cost: MessageSchema,
  /** What would come back if this alone were freed; `null`: not measured. */
  expected_bytes: v.nullable(count),
  /** In the safe set; all others need a confirmation. */
  safe: v.boolean(),
  /** Proposed to be checked. */
  selected: v.boolean(),
  /** False for unused cache, which this kernel can use anyway. */
  adds_headroom: v.boolean(),
  /** Names of the person's that are deleted. */
  names: v.array(v.string()),
  /** What a person has to agree to; `null` for the safe set. */
  confirm: v.nullable(MessageSchema),
  /** Why it cannot be freed; `null`: it can. */
  blocked: v.nullable(MessageSchema)
});

/** Bytes that each of these items counts: they come back once. */
export interface IShared extends v.InferOutput<typeof SharedSchema> {}
export const SharedSchema = v.object({
  /** At least two. */
  ids: v.array(v.string()),
  bytes: count
});

/** What one item of a release gave back. */
export const ReleasedItemSchema = v.object({
  id: v.string(),
  kind: ItemKindSchema,
  title: MessageSchema,
  /** `null`: it ran together with another, or was not measured. */
  freed_bytes: v.nullable(integer),
  /** Why it gave less than expected, or what to know. */
  message: v.nullable(MessageSchema)
});

/** What can be freed, measured between cells after a plan request. */
export interface IPlan extends v.InferOutput<typeof PlanSchema> {}
export const PlanSchema = event('plan', {
  request_id: v.string(),
  /** False where the time was over before all was measured. */
  complete: v.boolean(),
  items: v.array(ItemSchema),
  /** What several items count, the most first. */
  shared: v.array(SharedSchema),
  message: MessageSchema
});

/** The clean-up cell that a request asked for. */
export const CleanupSchema = event('cleanup', {
  request_id: v.string(),
  /** `null`: it could not be written. */
  code: v.nullable(v.string()),
  message: MessageSchema
});

/** What running cells again would cost; nothing was freed. */
export interface IRerun extends v.InferOutput<typeof RerunSchema> {}
export const RerunSchema = event('rerun', {
  request_id: v.string(),
  status: v.picklist(['ready', 'cancelled']),
  /**
   * What goes before a cell runs, as `rerun:<number>:<cell id>`: each only where a
   * person agrees to its `confirm`, and only until another cell runs.
   */
  items: v.array(ItemSchema),
  /** What was trained and would be lost, or trained again. */
  cautions: v.array(MessageSchema),
  /** Whether what was trained can be saved before, by a `rescue` request. */
  saves: v.boolean()
});

/** A release ended; every size is measured. */
export interface IReleased extends v.InferOutput<typeof ReleasedSchema> {}
export const ReleasedSchema = event('released', {
  release_id: v.string(),
  report_id: v.nullable(v.string()),
  /** Because the settings ask for it: nobody pressed a button. */
  automatic: v.boolean(),
  time_s: number,
  status: v.picklist(['done', 'nothing', 'failed', 'cancelled']),
  /** In use before minus after. */
  freed_bytes: v.nullable(integer),
  /** Reserved before minus after. */
  returned_bytes: v.nullable(integer),
  in_use_bytes: v.nullable(count),
  headroom_before_bytes: v.nullable(count),
  headroom_after_bytes: v.nullable(count),
  items: v.array(ReleasedItemSchema),
  still_held: v.array(HolderSchema),
  /** Ids of items that take something back. */
  undo: v.array(v.string()),
  message: MessageSchema
});
