import type { IHolder } from './holders';
import type { IMessage } from './message';

/** What sort of thing an item frees. */
export type ItemKind =
  | 'traceback'
  | 'outputs'
  | 'garbage'
  | 'cache'
  | 'error'
  | 'variable'
  | 'leftover'
  | 'gradients'
  | 'optimizer_state'
  | 'graph'
  | 'offload'
  | 'restore'
  | 'framework_cache';

/** One thing that can be freed. */
export interface IItem {
  /** `traceback`, `output:5`, `variable:outputs` and the like. */
  id: string;
  kind: ItemKind;
  title: IMessage;
  /** What a person loses by it. */
  cost: IMessage;
  /** What would come back if this alone were freed; `null`: not measured. */
  expected_bytes: number | null;
  /** In the safe set; all others need a confirmation. */
  safe: boolean;
  /** Proposed to be checked. */
  selected: boolean;
  /** False for unused cache, which this kernel can use anyway. */
  adds_headroom: boolean;
  /** Names of the person's that are deleted. */
  names: string[];
  /** What a person has to agree to; `null` for the safe set. */
  confirm: IMessage | null;
  /** Why it cannot be freed; `null`: it can. */
  blocked: IMessage | null;
}

/** Bytes that each of these items counts: they come back once. */
export interface IShared {
  /** At least two. */
  ids: string[];
  bytes: number;
}

/** What one item of a release gave back. */
export interface IReleasedItem {
  id: string;
  title: IMessage;
  /** `null`: it ran together with another, or was not measured. */
  freed_bytes: number | null;
  /** Why it gave less than expected, or what to know. */
  message: IMessage | null;
}

/** What can be freed, measured between cells after a plan request. */
export interface IPlan {
  type: 'plan';
  life_id: string;
  request_id: string;
  /** False where the time was over before all was measured. */
  complete: boolean;
  items: IItem[];
  /** What several items count, the most first. */
  shared: IShared[];
  message: IMessage;
}

/** The clean-up cell that a request asked for. */
export interface ICleanup {
  type: 'cleanup';
  life_id: string;
  request_id: string;
  /** `null`: it could not be written. */
  code: string | null;
  message: IMessage;
}

/** A release ended; every size is measured. */
export interface IReleased {
  type: 'released';
  life_id: string;
  release_id: string;
  report_id: string | null;
  time_s: number;
  status: 'done' | 'nothing' | 'failed' | 'cancelled';
  /** In use before minus after. */
  freed_bytes: number | null;
  /** Reserved before minus after. */
  returned_bytes: number | null;
  in_use_bytes: number | null;
  headroom_before_bytes: number | null;
  headroom_after_bytes: number | null;
  items: IReleasedItem[];
  still_held: IHolder[];
  /** Ids of items that take something back. */
  undo: string[];
  message: IMessage;
}
