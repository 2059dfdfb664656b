import type { IHolder } from './holders';
import type { IMessage } from './message';

/** Things that a release can free. */
export type ItemId = 'traceback' | 'outputs' | 'garbage' | 'cache';

/** One thing that can be freed. */
export interface IItem {
  id: ItemId;
  title: IMessage;
  cost: IMessage;
  /** `null`: not measured. */
  expected_bytes: number | null;
  /** Nothing that the user named is lost. */
  safe: boolean;
}

/** What can be freed, measured between cells after a plan request. */
export interface IPlan {
  type: 'plan';
  life_id: string;
  request_id: string;
  items: IItem[];
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
  items: { id: ItemId; freed_bytes: number | null }[];
  still_held: IHolder[];
  message: IMessage;
}
