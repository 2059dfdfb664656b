import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';

import type { IDevice } from '../protocol';
import type { IKernelMemory } from '../tokens';

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

/**
 * The kernels of the server except that of the focused document, as far as a
 * helper in them answers.
 *
 * They are asked while they are shown and the page is visible, never otherwise.
 */
export interface IOtherKernels {
  readonly kernels: readonly IOtherKernel[];

  /**
   * How many were not asked because no page is connected to them: the server
   * drops what it keeps for the page that was, once another connects.
   */
  readonly unasked: number;

  /** Whether a person may be offered to shut them down. */
  readonly mayShutDown: boolean;

  readonly changed: ISignal<IOtherKernels, void>;

  /** Ask now and then while the returned object is not disposed. */
  watch(): IDisposable;

  /** Whether some are asked on a person's word, and have not answered. */
  readonly isAsking: boolean;

  /** Ask those too that no page is connected to: a person wants it. */
  askUnasked(): void;

  /** Whether one of them, by its last answer, holds memory of a GPU of this kernel. */
  isSharing(memory: IKernelMemory): boolean;

  /** End a kernel; rejects with what the server says. */
  shutDown(id: string): Promise<void>;
}
