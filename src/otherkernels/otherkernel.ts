import type { IDevice } from '../protocol';

/** Another kernel of the server, by its last reply. */
export interface IOtherKernel {
  readonly id: string;
  /** Display name: the notebooks and consoles that use it, else its spec. */
  readonly name: string;
  /** Path of its notebooks in the server's files; empty if there are none. */
  readonly path: string;
  readonly isBusy: boolean;
  /** In milliseconds of this page's clock; `null`: it is busy, or has run nothing yet. */
  readonly idleSince_ms: number | null;
  /** Devices from its own point of view: its own use is in use and cached. */
  readonly devices: readonly IDevice[];
}
