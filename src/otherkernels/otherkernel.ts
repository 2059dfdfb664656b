import type { IDevice } from '../protocol';

/** Another kernel of the server, as it answered last. */
export interface IOtherKernel {
  readonly id: string;
  /** The notebooks and consoles that use it, else its spec: for people. */
  readonly name: string;
  /** Where the notebooks are in the server's files; empty where there is none. */
  readonly path: string;
  readonly isBusy: boolean;
  /** In milliseconds of this page's clock; `null`: it is busy, or has run nothing yet. */
  readonly idleSince_ms: number | null;
  /** As it sees them; what it holds itself is in use and cached. */
  readonly devices: readonly IDevice[];
}
