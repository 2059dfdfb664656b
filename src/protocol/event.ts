import type { ICell, IOom } from './cell';
import type { IHolders, IPath, ISnapshot } from './holders';
import type { IDevice, IHostMemory, ITrend } from './memory';
import type { IMessage } from './message';
import type { ICleanup, IPlan, IReleased } from './release';

/** The helper lives. */
export interface IHello {
  type: 'hello';
  /** `major.minor`; the major must match. */
  protocol_version: string;
  helper_version: string;
  /** A new one after every kernel restart. */
  life_id: string;
  /** All events of this life come as comm messages with this id. */
  comm_id: string;
  installed: boolean;
  /** False while the second pack is still missing. */
  complete: boolean;
  /** True: requests are answered on the control channel. */
  control: boolean;
}

/** One reading. */
export interface ISample {
  type: 'sample';
  life_id: string;
  seq: number;
  time_s: number;
  /** Why `devices` is empty when it is. */
  state: 'no_framework' | 'not_initialised' | 'no_gpu' | 'live';
  busy: boolean;
  /** Also of the driver, where it could be asked without starting a framework. */
  devices: IDevice[];
  host: IHostMemory | null;
  /** One per device while a cell runs; empty at rest. */
  trends: ITrend[];
  /** Ids of releases that wait for the running cell to end. */
  queued: string[];
}

/** A walk that a person asked for goes on. */
export interface IProgress {
  type: 'progress';
  life_id: string;
  request_id: string;
  elapsed_s: number;
}

/** Something a person should know before it fails. */
export interface IWarning {
  type: 'warning';
  life_id: string;
  time_s: number;
  cell_id: string | null;
  kind: 'filling_up' | 'growth' | 'retries' | 'swallowed_oom';
  device_index: number | null;
  message: IMessage;
}

/** Something in the helper failed; it goes on as far as it can. */
export interface IError {
  type: 'error';
  life_id: string;
  time_s: number;
  /** The request that this ends; `null` where none waits for it. */
  request_id: string | null;
  where: string;
  message: IMessage;
}

/** The helper ends on purpose. */
export interface IBye {
  type: 'bye';
  life_id: string;
  reason: 'unloaded' | 'replaced';
}

/** Kernel to page. */
export type Event =
  | IHello
  | ISample
  | ICell
  | IOom
  | IPlan
  | IReleased
  | IHolders
  | IPath
  | ISnapshot
  | ICleanup
  | IProgress
  | IWarning
  | IError
  | IBye;
