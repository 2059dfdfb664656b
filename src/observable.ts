import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

/**
 * What says that it has changed, and neither says nor hears anything any more
 * once it is disposed.
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

  /** Say that it has changed. */
  protected emit(): void {
    this.changed.emit();
  }

  private _isDisposed = false;
}
