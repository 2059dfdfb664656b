import type { IMessage } from './message';

/** Frameworks whose memory can be read. */
export type FrameworkName = 'torch' | 'jax' | 'tensorflow' | 'cupy';

/** What one framework holds on one device. */
export interface IFramework {
  name: FrameworkName;
  in_use_bytes: number;
  cached_bytes: number | null;
  /** The pool was taken at start on purpose: no sign of need. */
  preallocated: boolean;
  /** The framework's own monotone peak; the helper never resets it. */
  peak_in_use_bytes: number | null;
  alloc_retries: number | null;
  ooms: number | null;
}

/** One GPU as the kernel sees it. */
export interface IDevice {
  /** Index as the framework counts. */
  index: number;
  /** What drives the device; `index` counts within it. */
  backend: 'cuda' | 'rocm' | 'xpu' | 'mps';
  name: string | null;
  uuid: string | null;
  /** Everything shown of a simulated device says so. */
  simulated: boolean;
  capacity_bytes: number | null;
  /** A memory fraction lowers the capacity. */
  capacity_limited: boolean;
  /** Unified memory: the host's programs use the same bytes. */
  shared_with_host: boolean;
  /** Of outside: other programs, as the driver says; `null` where it hides them. */
  others_bytes: number | null;
  free_bytes: number | null;
  outside_bytes: number | null;
  in_use_bytes: number;
  cached_bytes: number;
  /** Outside and in use. */
  used_bytes: number | null;
  /** Free and cached: an upper bound of what the kernel could still get. */
  headroom_bytes: number | null;
  frameworks: IFramework[];
  /** What a person should know to read these numbers. */
  notes: IMessage[];
}

/** The kernel's host memory, and the host's: the container's limit where there is one. */
export interface IHostMemory {
  /** Resident in the kernel's process. */
  rss_bytes: number | null;
  /** What could still be had without swapping. */
  available_bytes: number | null;
  total_bytes: number | null;
}

/** Where memory goes while a cell runs. */
export interface ITrend {
  device_index: number;
  /** `unknown`: not enough readings yet. */
  state: 'unknown' | 'steady' | 'growing';
  /** Growth of what stays; `null` unless growing. */
  bytes_per_s: number | null;
  bytes_per_step: number | null;
  /** Steps of a loop seen so far; `null` where none could be told apart. */
  steps: number | null;
  /** Headroom over growth; `null` unless growing and headroom is known. */
  full_in_s: number | null;
  full_in_steps: number | null;
}

/** The highest reading of one second of one device. */
export interface IHistoryPoint {
  time_s: number;
  device_index: number;
  in_use_bytes: number;
  cached_bytes: number;
  outside_bytes: number | null;
}
