import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

import { Observable } from './observable';

/**
 * The parts that plugins add to a surface, loaded when it is first shown.
 */
export class Registry<T> extends Observable {
  /** Add a part, which is removed when the result is disposed. */
  add(load: () => Promise<T>): IDisposable {
    this._parts.set(load, null);
    if (this._isLoading) {
      void this.load();
    }
    return new DisposableDelegate(() => {
      this._parts.delete(load);
      this.emit();
    });
  }

  /** The parts that are loaded, in the order in which they were added. */
  get all(): readonly T[] {
    return [...this._parts.values()].flatMap(part => part ?? []);
  }

  /** Load all parts, and from now on each that is added. */
  async load(): Promise<void> {
    this._isLoading = true;
    const missing = [...this._parts].filter(([, part]) => part === null);
    await Promise.all(
      missing.map(async ([load]) => {
        const part = await load();
        if (this._parts.has(load)) {
          this._parts.set(load, part);
        }
      })
    );
    if (missing.length > 0) {
      this.emit();
    }
  }

  private readonly _parts = new Map<() => Promise<T>, T | null>();
  private _isLoading = false;
}
