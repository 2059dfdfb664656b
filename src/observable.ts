import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

/**
 * Base of objects that emit a signal on change; no signals are sent or received after
 * disposal.
 */
export abstract class Observable implements IDisposable {
  readonly changed = new Signal<this, void>(this);

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    Signal.clearData(this);
  }

  /** Emit the change. */
  protected emit(): void {
    this.changed.emit();
  }

  private _isDisposed = false;
}
