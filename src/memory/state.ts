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
 * Phase of the link to one kernel.
 *
 * - `absent`: not a Python kernel; nothing is shown and nothing is sent
 * - `connecting`: looking for a helper
 * - `starting`: the helper is being injected into the kernel
 * - `off`: settings or the notebook say that no helper is to be started
 * - `live`: the helper replies
 * - `foreign`: Python by name, but the kernel runs code in another process or with
 *   something other than IPython, or it is free-threaded; no code is sent to it
 * - `incompatible`: the helper uses another major version of the protocol
 * - `failed`: the helper could not be started
 * - `disconnected`: by the status of the connection or the kernel
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

/** Summary of the last reading of a kernel that died. */
export interface IDeath {
  /** The fullest device; `null`: there was none. */
  readonly device: IDevice | null;
  /** `null`: not measured. */
  readonly host: IHostMemory | null;
  /**
   * Age of the reading when the death was noticed, in milliseconds; `null`: there was
   * none.
   */
  readonly age_ms: number | null;
  /** The system killed it for lack of host memory, as the restarted kernel reports. */
  readonly isKilled: boolean;
}

/** How much headroom a device has left. */
export type Level = 'ok' | 'tight' | 'critical';

/** GPU memory of one kernel. Replaced by a new object on every change. */
export interface IMemoryState {
  readonly phase: Phase;
  /** Set in the phase `off` only. */
  readonly offReason: OffReason | null;
  /**
   * The problem, as one sentence, in the phases `failed`, `foreign` and `incompatible`.
   */
  readonly problem: string | null;
  readonly hello: IHello | null;
  /** The newest reading of this helper. */
  readonly sample: ISample | null;
  /** When the newest reading arrived, in milliseconds of this page's clock. */
  readonly sampleAt_ms: number | null;
  /** The level of each device at the newest reading, by its index. */
  readonly levels: Readonly<Record<number, Level>>;
  /** Whether a device was about to be full at the newest reading. */
  readonly isFilling: boolean;
  /** Polls since the last reply; only a kernel at rest is polled. */
  readonly unansweredPolls: number;
  /** The running cell, else the last one. */
  readonly cell: ICell | null;
  /** Shortage of the running cell at its start, by its last run. */
  readonly shortage: IShortage | null;
  /** The last out-of-memory error whose cell has not succeeded since. */
  readonly lastOom: IOom | null;
  readonly lastReleased: IReleased | null;
  /** The last warning of the helper, until a cell starts. */
  readonly warning: IWarning | null;
  /** Runs of cells, oldest first: the last three of each, of the last 200 cells. */
  readonly runs: readonly ICell[];
  /** Readings of each device in this session. */
  readonly history: History;
  /**
   * How the last helper's kernel process ended, if not on request; until the next
   * begins.
   */
  readonly death: IDeath | null;
}
