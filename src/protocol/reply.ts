import * as v from 'valibot';

import { CellSchema } from './cell';
import { reply } from './envelope';
import { HelloSchema, SampleSchema } from './event';
import { HoldersSchema } from './holders';
import { HistoryPointSchema } from './memory';
import { MessageSchema } from './message';
import { ReleasedSchema } from './release';
import { EditSchema, ReportSchema } from './report';
import { count, number } from './value';
import { FollowedWorkersSchema, WorkerCardSchema } from './workers';

/** `waiting`: a cell runs; it is done when that ends. */
const status = v.picklist(['queued', 'waiting']);

/** Kernel to page: any body of the debug reply. */
export type Reply = v.InferOutput<typeof ReplySchema>;
export const ReplySchema = v.variant('type', [
  reply('attach', {
    hello: HelloSchema,
    /** Seconds until the lease ends unless renewed. */
    lease_s: number,
    sample: v.nullable(SampleSchema),
    /** The running cell, else the last one. */
    cell: v.nullable(CellSchema)
  }),
  reply('detach', {}),
  reply('sample', { sample: SampleSchema, cell: v.nullable(CellSchema) }),
  reply('plan', { status }),
  reply('holders', { status, last: v.nullable(HoldersSchema) }),
  reply('path', { status }),
  reply('cells', {
    /** Oldest first: at most three runs of a cell. */
    runs: v.array(CellSchema)
  }),
  reply('history', {
    /** Oldest first: each second of five minutes, before that 256 s each. */
    points: v.array(HistoryPointSchema)
  }),
  reply('snapshot', { status }),
  reply('release', { release_id: v.string(), status }),
  reply('cancel', { cancelled: v.boolean() }),
  reply('report', {
    status: v.picklist(['known', 'unknown']),
    /** The helper's own copy. */
    report: v.nullable(ReportSchema),
    /** The last release made for it. */
    released: v.nullable(ReleasedSchema)
  }),
  reply('fix', {
    /** `changed`: the cell no longer has the line. */
    status: v.picklist(['ok', 'changed', 'unknown']),
    edits: v.array(EditSchema),
    /** Cell ids to run, in this order, for Apply and re-run. */
    run: v.array(v.string()),
    message: MessageSchema,
    /** What running these cells again would repeat besides computing. */
    caution: v.nullable(MessageSchema)
  }),
  reply('cleanup', { status }),
  reply('rescue', { status }),
  reply('rerun', { status }),
  reply('explain', {
    /** `null`: the text says of no full GPU, or the cell has its card. */
    report_id: v.nullable(v.string())
  }),
  reply('presence', {
    sample: v.nullable(SampleSchema),
    /** `null`: a cell runs, or none has run yet. */
    idle_since_s: v.nullable(number)
  }),
  reply('workers', {
    /** `null`: the notebook has none. */
    workers: v.nullable(FollowedWorkersSchema),
    /** The fullest first, with at most 16 workers in all. */
    cards: v.array(WorkerCardSchema),
    /** Workers that match the filter; one on two GPUs counts twice. */
    total: count
  }),
  /** What becomes of it is told by the engine's state. */
  reply('follow', {}),
  reply('worker_release', { status: v.picklist(['queued']) }),
  reply('dry_run', { status: v.picklist(['queued']) }),
  // Any request that cannot be answered.
  reply('refused', { message: MessageSchema })
]);

/** The reply to each kind of request. */
export type IReplies = {
  [K in Exclude<Reply['type'], 'refused'>]: Extract<Reply, { type: K }>;
};

/** Any request that cannot be answered. */
export type IRefused = Extract<Reply, { type: 'refused' }>;
