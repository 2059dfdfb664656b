import type { Kernel } from '@jupyterlab/services';
import { Token } from '@lumino/coreutils';
import type { IDisposable, IObservableDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';

import type { IMemoryState } from './memory/state';
import type { Event, IReplies, IRequests, RequestArgs } from './protocol';

/**
 * The GPU memory of one kernel, shared by all views of that kernel on this page.
 */
export interface IKernelMemory extends IObservableDisposable {
  /** The connection in use: one of those that this page has to the kernel. */
  readonly kernel: Kernel.IKernelConnection;

  readonly state: IMemoryState;

  readonly stateChanged: ISignal<IKernelMemory, void>;

  /** Every event of the current life, after `state` has taken it in. */
  readonly eventReceived: ISignal<IKernelMemory, Event>;

  /**
   * Ask the helper.
   *
   * Rejects with an `Error` whose message is a sentence for people when the
   * helper refuses, does not answer in time, or is not there.
   */
  request<K extends keyof IRequests>(
    type: K,
    args: RequestArgs<K>
  ): Promise<IReplies[K]>;

  /**
   * Start the helper now, whatever the setting says, or bring a live one what it
   * lacks: a person asked for it.
   *
   * Resolves when the link is live or has given up.
   */
  start(): Promise<void>;

  /**
   * Receive readings at the fast rate while the returned object is not disposed.
   */
  watch(): IDisposable;
}

/**
 * Where a view has its kernel from.
 */
export interface IKernelSource {
  /** The GPU memory of the kernel; `null` where there is none. */
  readonly current: IKernelMemory | null;

  readonly currentChanged: ISignal<IKernelSource, void>;

  /** Whether there is a notebook or console that could have a kernel. */
  readonly hasDocument: boolean;
}

/**
 * The GPU memory of the kernels of this page; as a source, that of the focused
 * notebook or console.
 */
export interface IGpuMemory extends IKernelSource {
  /** That of a kernel, or `null` when no notebook or console of this page uses it. */
  find(kernel: Pick<Kernel.IModel, 'id'>): IKernelMemory | null;
}

/**
 * The token of the GPU memory of this page's kernels.
 */
export const IGpuMemory = new Token<IGpuMemory>(
  'gpu-headroom:IGpuMemory',
  'GPU memory of the kernels of this page, as their frameworks see it.'
);

/**
 * The commands of this extension, in the order of the palette.
 */
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

/** What `describedBy` says of a command that takes no arguments. */
export const NO_ARGS = { type: 'object', additionalProperties: false };

/** The MIME type of a report in an output. */
export const MIME_TYPE = 'application/vnd.gpu-headroom.report+json';
