import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import type { IKernelMemory, IMemoryState } from '../tokens';
import { isBusy } from './model';

/** Cells that run one after the other are measured once, when this has passed. */
const REST_MS = 300;

/**
 * Calls for a measurement while somebody looks: when that begins, and after
 * cells and releases. The one who measures constructs and disposes it.
 */
export class Occasions implements IDisposable {
  /**
   * @param measure - asks the kernel
   * @param isPending - whether something is known, or was asked for: a running
   *   cell is then waited for
   */
  constructor(
    private readonly _memory: IKernelMemory,
    private readonly _measure: () => void,
    private readonly _isPending: () => boolean
  ) {
    _memory.stateChanged.connect(this._follow, this);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Whether somebody looks. */
  set isShown(isShown: boolean) {
    this._isShown = isShown;
    this._follow();
  }

  /** It was asked for, or came: the next occasion is what happens from now on. */
  met(): void {
    this._metFor = reasonToMeasure(this._memory.state);
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    window.clearTimeout(this._rest);
    Signal.clearData(this);
  }

  /** Measure after a rest where there is something new to measure. */
  private _follow(): void {
    window.clearTimeout(this._rest);
    if (this._isWanted()) {
      this._rest = window.setTimeout(
        () => {
          if (this._isWanted()) {
            this._measure();
          }
        },
        this._isPending() ? REST_MS : 0
      );
    }
  }

  private _isWanted(): boolean {
    const { state } = this._memory;
    const isLive = state.phase === 'live' && state.sample?.state === 'live';
    return (
      this._isShown &&
      !this._isDisposed &&
      isLive &&
      !(isBusy(state) && this._isPending()) &&
      this._metFor !== reasonToMeasure(state)
    );
  }

  /** What had happened when it was measured last. */
  private _metFor = '';
  private _rest: number | undefined;
  private _isShown = false;
  private _isDisposed = false;
}

/**
 * What may have changed who holds what: it is worth measuring when this differs.
 */
export function reasonToMeasure(state: IMemoryState): string {
  const { cell, hello, lastReleased } = state;
  return [
    hello?.life_id,
    hello?.complete,
    cell?.start_s,
    cell?.end_s,
    lastReleased?.release_id
  ].join();
}
