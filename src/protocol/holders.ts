import type { FrameworkName } from './memory';
import type { IMessage } from './message';

/** What a holder is, as far as the walk could tell. */
export type HolderKind =
  | 'parameters'
  | 'gradients'
  | 'optimizer_state'
  | 'activations'
  | 'tensor';

/** A name that keeps memory in use. */
export interface IHolder {
  name: string;
  kind: HolderKind;
  bytes: number;
}

/** Where an object was made, known while allocation recording is on. */
export interface IMade {
  cell_id: string | null;
  execution_count: number | null;
  /** 1-based. */
  line: number | null;
}

/** One storage or autograd graph under a holder. */
export interface IHeldPart {
  /** Names it in a `path` request. */
  id: string;
  /** The way from the holder, such as `.weight` or `[12]`. */
  name: string;
  kind: HolderKind;
  framework: FrameworkName;
  bytes: number;
  /** Held by an autograd graph only: no Python object is it. */
  graph: boolean;
  dtype: string | null;
  shape: number[] | null;
  made: IMade | null;
}

/** One holder: a name, a displayed value, a traceback, or what no name reaches. */
export interface IHeld {
  /** Names it in a `path` request. */
  id: string;
  /** As a person would write it; empty for what no name reaches. */
  name: string;
  origin: 'names' | 'outputs' | 'traceback' | 'elsewhere';
  kind: HolderKind | 'mixed';
  /** The class of the object behind the name, without its module. */
  type_name: string | null;
  /** All that was reached through it first. */
  bytes: number;
  /** Of these: held by autograd graphs only. */
  graph_bytes: number;
  /** Storages. */
  count: number;
  /** Other names of the same memory. */
  aliases: string[];
  /** The largest first; at most 50. */
  parts: IHeldPart[];
  hint: IMessage | null;
}

/** Another process on the card. */
export interface IProcess {
  /** In the kernel's namespace; `null` where it cannot be known. */
  pid: number | null;
  name: string | null;
  bytes: number | null;
}

/** Where the memory in use of a device is: named, graph, unnamed, not attributed. */
export interface IHeldDevice {
  device_index: number;
  in_use_bytes: number;
  named_bytes: number;
  graph_bytes: number;
  unnamed_bytes: number;
  not_attributed_bytes: number;
  /** The largest first; at most 100. */
  rows: IHeld[];
  /** Others on the same card; `null` where the driver hides them. */
  processes: IProcess[] | null;
}

/** Who holds the memory in use, measured between cells. */
export interface IHolders {
  type: 'holders';
  life_id: string;
  /** `null` when the helper measured on its own. */
  request_id: string | null;
  time_s: number;
  duration_s: number;
  /** False when the walk stopped early. */
  complete: boolean;
  /** The last cell that had run: these numbers are as of then. */
  execution_count: number | null;
  /** Whether allocations are recorded, so that `made` can be known. */
  recording: boolean;
  devices: IHeldDevice[];
  message: IMessage;
}

/** The ways from a root to one object. */
export interface IPath {
  type: 'path';
  life_id: string;
  request_id: string;
  holder_id: string;
  /** False when the search stopped early. */
  complete: boolean;
  /** The shortest first; each a list of steps from the root. */
  paths: IMessage[][];
  message: IMessage;
}

/** The allocator's snapshot was written, or could not be. */
export interface ISnapshot {
  type: 'snapshot';
  life_id: string;
  request_id: string;
  /** In the kernel's file system; `null` where nothing was written. */
  path: string | null;
  bytes: number | null;
  message: IMessage;
}
