import type { Kernel } from '@jupyterlab/services';
import { Token } from '@lumino/coreutils';
import type { IDisposable, IObservableDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';

import type { IMemoryState } from './memory/state';
import type { Event, IReplies, IRequests, RequestArgs } from './protocol';

/** The GPU memory of one kernel, shared by all views of that kernel on this page. */
export interface IKernelMemory extends IObservableDisposable {
  /** The connection in use: one of this page's connections to the kernel. */
  readonly kernel: Kernel.IKernelConnection;

  readonly state: IMemoryState;

  readonly stateChanged: ISignal<IKernelMemory, void>;

  /** Every event of the current helper, emitted after `state` is updated. */
  readonly eventReceived: ISignal<IKernelMemory, Event>;

  /**
   * Send a request to the helper.
   *
   * Rejects with an `Error` whose message is a sentence for users if the helper
   * refuses, does not reply in time, or is missing.
   */
  request<K extends keyof IRequests>(
    type: K,
    args: RequestArgs<K>
  ): Promise<IReplies[K]>;

  /**
   * Start the helper now, regardless of the setting, or inject what a running one
   * lacks, on request of the user.
   *
   * Resolves when the link is live or has failed.
   */
  start(): Promise<void>;

  /** Receive readings at the fast rate until the returned object is disposed. */
  watch(): IDisposable;
}

/** Source of the kernel of a view. */
export interface IKernelSource {
  /** The GPU memory of the kernel; `null` if there is none. */
  readonly current: IKernelMemory | null;

  readonly currentChanged: ISignal<IKernelSource, void>;

  /** Whether there is a notebook or console that could have a kernel. */
  readonly hasDocument: boolean;
}

/**
 * The GPU memory of the kernels of this page; as a source, that of the focused notebook
 * or console.
 */
export interface IGpuMemory extends IKernelSource {
  /**
   * The GPU memory of a kernel; `null` if no notebook or console of this page uses it.
   */
  find(kernel: Pick<Kernel.IModel, 'id'>): IKernelMemory | null;
}

/** Token of the GPU memory of this page's kernels. */
export const IGpuMemory = new Token<IGpuMemory>(
  'gpu-headroom:IGpuMemory',
  'GPU memory of the kernels of this page, as their frameworks see it.'
);

/** The commands of this extension, in the order of the palette. */
export namespace CommandIDs {
  export const showPopup = 'gpu-headroom:show-popup';
  export const showPanel = 'gpu-headroom:show-panel';
  export const freeMemory = 'gpu-headroom:free-memory';
  export const releaseMemory = 'gpu-headroom:release-memory';
  export const releaseCellMemory = 'gpu-headroom:release-cell-memory';
  export const insertCleanupCell = 'gpu-headroom:insert-cleanup-cell';
  export const dryRun = 'gpu-headroom:dry-run';
  export const saveMemorySnapshot = 'gpu-headroom:save-memory-snapshot';
  export const startHelper = 'gpu-headroom:start-helper';
}

/** Value of `describedBy` for a command without arguments. */
export const NO_ARGS = { type: 'object', additionalProperties: false };

/** The MIME type of a report in an output. */
export const MIME_TYPE = 'application/vnd.gpu-headroom.report+json';
