import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import type { Event } from '../protocol';
import type { IKernelMemory } from '../tokens';
import { cancel } from './cancel';

/**
 * A walk through the objects of a kernel that a person waits for: how long it
 * has gone on, and the way to end it.
 *
 * The one who asks for walks constructs and disposes it.
 */
export class Walk implements IDisposable {
  /** @param _onChanged - called when the time has changed */
  constructor(
    private readonly _memory: IKernelMemory,
    private readonly _onChanged: () => void
  ) {
    _memory.eventReceived.connect(this._onEvent, this);
  }

  /** Whole seconds; `null`: none goes on for as long as is worth a word. */
  get elapsed_s(): number | null {
    return this._seconds;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** A kernel has taken a request on. */
  begin(requestId: string): void {
    this._requestId = requestId;
    this._seconds = null;
  }

  /** It has come to its end, or never will. */
  end(): void {
    this._requestId = null;
    this._seconds = null;
  }

  /** End it. Never rejects: one that has ended meanwhile tells its result. */
  async cancel(): Promise<void> {
    if (this._requestId !== null) {
      await cancel(this._memory, this._requestId);
    }
  }

  dispose(): void {
    this._isDisposed = true;
    Signal.clearData(this);
  }

  private _onEvent(_: IKernelMemory, event: Event): void {
    if (event.type === 'progress' && event.request_id === this._requestId) {
      const seconds = Math.round(event.elapsed_s);
      if (seconds !== this._seconds) {
        this._seconds = seconds;
        this._onChanged();
      }
    }
  }

  private _requestId: string | null = null;
  private _seconds: number | null = null;
  private _isDisposed = false;
}
