import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

import { Observable } from './observable';

/** One part of a view. */
interface IEntry<T> {
  readonly load: () => Promise<T>;
  /** `null`: not loaded yet. */
  part: T | null;
  loading: Promise<void> | null;
}

/** The parts that plugins add to a view, loaded when it is first shown. */
export class Registry<T> extends Observable {
  /** Add a part, which is removed when the result is disposed. */
  add(load: () => Promise<T>): IDisposable {
    const entry: IEntry<T> = { load, part: null, loading: null };
    this._entries.add(entry);
    if (this._isWanted) {
      void this.load();
    }
    return new DisposableDelegate(() => {
      this._entries.delete(entry);
      this.emit();
    });
  }

  /** The parts that are loaded, in the order in which they were added. */
  get all(): readonly T[] {
    return [...this._entries].flatMap(({ part }) =>
      part === null ? [] : [part]
    );
  }

  /**
   * Load all parts, and from now on each that is added. Never rejects: one that cannot
   * be loaded is missing, and loading is tried again the next time.
   */
  async load(): Promise<void> {
    this._isWanted = true;
    const missing = [...this._entries].filter(({ part }) => part === null);
    await Promise.all(missing.map(fill));
    if (missing.length > 0) {
      this.emit();
    }
  }

  private readonly _entries = new Set<IEntry<T>>();
  private _isWanted = false;
}

function fill<T>(entry: IEntry<T>): Promise<void> {
  entry.loading ??= entry.load().then(
    part => {
      entry.part = part;
    },
    (reason: unknown) => {
      entry.loading = null;
      console.warn('GPU Headroom: a part could not be loaded.', reason);
    }
  );
  return entry.loading;
}
