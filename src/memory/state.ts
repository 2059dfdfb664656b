import type {
  ICell,
  IDevice,
  IHello,
  IHostMemory,
  IOom,
  IReleased,
  ISample,
  IWarning
} from '../protocol';
import type { History } from './history';
import type { IShortage } from './shortage';

/**
 * Where the link to one kernel stands.
 *
 * - `absent`: not a Python kernel; nothing is shown and nothing is sent
 * - `connecting`: asking whether a helper is there
 * - `starting`: the helper is being put into the kernel
 * - `off`: settings or the notebook say that no helper is to be started
 * - `live`: the helper answers
 * - `foreign`: Python by name, but what it is given it runs elsewhere or with
 *   something else than IPython, or it is free-threaded; no code is sent to it
 * - `incompatible`: the helper speaks another major version of the protocol
 * - `failed`: the helper could not be started
 * - `disconnected`: the connection or the kernel's status says so
 */
export type Phase =
  | 'absent'
  | 'connecting'
  | 'starting'
  | 'off'
  | 'live'
  | 'foreign'
  | 'incompatible'
  | 'failed'
  | 'disconnected';

/** Why no helper is started in the phase `off`. */
export type OffReason = 'click' | 'never' | 'notebook';

/** What the last reading told of a kernel that died. */
export interface IDeath {
  /** The fullest; `null`: there was none. */
  readonly device: IDevice | null;
  /** `null`: not measured. */
  readonly host: IHostMemory | null;
  /** How long before its death was known, in milliseconds; `null`: there was none. */
  readonly age_ms: number | null;
  /** The system ended it for want of host memory, as the next life tells. */
  readonly isKilled: boolean;
}

/** How much headroom a device has left. */
export type Level = 'ok' | 'tight' | 'critical';

/**
 * What is known of one kernel's GPU memory. A new object for every change.
 */
export interface IMemoryState {
  readonly phase: Phase;
  /** Set in the phase `off` only. */
  readonly offReason: OffReason | null;
  /**
   * What went wrong, as one sentence, in the phases `failed`, `foreign` and
   * `incompatible`.
   */
  readonly problem: string | null;
  readonly hello: IHello | null;
  /** The newest reading of this life. */
  readonly sample: ISample | null;
  /** When the newest reading arrived, in milliseconds of this page's clock. */
  readonly sampleAt_ms: number | null;
  /** The level of each device at the newest reading, by its index. */
  readonly levels: Readonly<Record<number, Level>>;
  /** Whether a device was about to be full at the newest reading. */
  readonly isFilling: boolean;
  /** Polls since the last answer; only a kernel at rest is polled. */
  readonly unansweredPolls: number;
  /** The running cell, else the last one. */
  readonly cell: ICell | null;
  /** What the running cell lacked at its start, by its last run. */
  readonly shortage: IShortage | null;
  /** The last failure for want of memory whose cell has not run well since. */
  readonly lastOom: IOom | null;
  readonly lastReleased: IReleased | null;
  /** The last thing that the helper warned of, until a cell is started again. */
  readonly warning: IWarning | null;
  /** Runs of cells, oldest first: the last three of each, of the last 200 cells. */
  readonly runs: readonly ICell[];
  /** What was read of each device in this session. */
  readonly history: History;
  /** How the last life ended, when nobody had asked for it; until the next begins. */
  readonly death: IDeath | null;
}
