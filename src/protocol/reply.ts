import type { ICell } from './cell';
import type { IHello, ISample } from './event';
import type { IHolders } from './holders';
import type { IHistoryPoint } from './memory';
import type { IMessage } from './message';
import type { IReleased } from './release';
import type { IEdit, IReport } from './report';

/** Kernel to page: the body of the debug reply. */
export interface IReplies {
  attach: {
    type: 'attach';
    id: string;
    hello: IHello;
    /** Seconds until the lease ends unless renewed. */
    lease_s: number;
    sample: ISample | null;
    /** The running cell, else the last one. */
    cell: ICell | null;
  };
  detach: { type: 'detach'; id: string };
  sample: { type: 'sample'; id: string; sample: ISample; cell: ICell | null };
  plan: { type: 'plan'; id: string; status: 'queued' | 'waiting' };
  holders: {
    type: 'holders';
    id: string;
    /** `waiting`: a cell runs; it is measured when that ends. */
    status: 'queued' | 'waiting';
    last: IHolders | null;
  };
  path: { type: 'path'; id: string; status: 'queued' | 'waiting' };
  cells: {
    type: 'cells';
    id: string;
    /** Oldest first: at most three runs of a cell. */
    runs: ICell[];
  };
  history: {
    type: 'history';
    id: string;
    /** Oldest first: at most five minutes. */
    points: IHistoryPoint[];
  };
  snapshot: { type: 'snapshot'; id: string; status: 'queued' | 'waiting' };
  release: {
    type: 'release';
    id: string;
    release_id: string;
    /** `waiting`: a cell runs; the release starts when that ends. */
    status: 'queued' | 'waiting';
  };
  cancel: { type: 'cancel'; id: string; cancelled: boolean };
  report: {
    type: 'report';
    id: string;
    status: 'known' | 'unknown';
    /** The helper's own copy. */
    report: IReport | null;
    /** The last release made for it. */
    released: IReleased | null;
  };
  fix: {
    type: 'fix';
    id: string;
    /** `changed`: the cell no longer has the line. */
    status: 'ok' | 'changed' | 'unknown';
    edits: IEdit[];
    /** Cell ids to run, in this order, for Apply and re-run. */
    run: string[];
    message: IMessage;
  };
  cleanup: { type: 'cleanup'; id: string; status: 'queued' | 'waiting' };
  presence: {
    type: 'presence';
    id: string;
    sample: ISample | null;
    /** `null`: a cell runs, or none has run yet. */
    idle_since_s: number | null;
  };
  pack: { type: 'pack'; id: string; accepted: boolean };
}

/** Any request that cannot be answered. */
export interface IRefused {
  type: 'refused';
  id: string;
  message: IMessage;
}

/** Any body of a reply. */
export type Reply = IReplies[keyof IReplies] | IRefused;
