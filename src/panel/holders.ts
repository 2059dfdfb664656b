import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import { isBusy } from '../kernel/model';
import { Occasions } from '../kernel/occasion';
import { Walk } from '../kernel/walk';
import type { Event, IHolders, IPath } from '../protocol';
import { sentenceOf } from '../reason';
import type { IKernelMemory } from '../tokens';

/**
 * Where a measurement stands: nobody asked, asked, or waiting for a cell to end.
 */
export type Asked = 'none' | 'queued' | 'waiting';

/** How far the search for what holds one object has come. */
export type PathStep =
  | { readonly kind: 'searching' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'found'; readonly path: IPath }
  | { readonly kind: 'failed'; readonly problem: string };

/**
 * Who holds the memory of one kernel, as last measured.
 *
 * It is measured while somebody looks: when that begins, after cells and
 * releases, and on `refresh`. The model that shows it constructs and disposes it.
 */
export class HoldersModel implements IDisposable {
  constructor(memory: IKernelMemory) {
    this.memory = memory;
    this._life = memory.state.hello?.life_id;
    memory.stateChanged.connect(this._onState, this);
    memory.eventReceived.connect(this._onEvent, this);
    this.walk = new Walk(memory, () => {
      this._changed.emit();
    });
    this._occasions = new Occasions(
      memory,
      () => void this.refresh(false),
      () => this._last !== null || this._asked !== 'none'
    );
  }

  readonly memory: IKernelMemory;

  /** The measurement that a person waits for. */
  readonly walk: Walk;

  /** The rows that show what is in them, by id. */
  readonly expanded = new Set<string>();

  get last(): IHolders | null {
    return this._last;
  }

  get asked(): Asked {
    return this._asked;
  }

  /** Why it could not be measured, as one sentence. */
  get problem(): string | null {
    return this._problem;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Whether somebody looks. */
  set isShown(isShown: boolean) {
    this._occasions.isShown = isShown;
  }

  /** The search for what holds an object of the last measurement, if any. */
  path(id: string): PathStep | undefined {
    return this._paths.get(id);
  }

  /** Open or close a row. */
  toggle(id: string, isExpanded = !this.expanded.has(id)): void {
    if (isExpanded) {
      this.expanded.add(id);
    } else {
      this.expanded.delete(id);
    }
    this._changed.emit();
  }

  /**
   * Measure now, or when the running cell ends.
   *
   * @param asked - whether a person asked for it: then it may take long
   */
  async refresh(asked: boolean): Promise<void> {
    this._occasions.met();
    this._set('queued', null);
    try {
      const { id, status, last } = await this.memory.request('holders', {
        asked
      });
      // The result may have come before this answer.
      if (this._asked === 'queued') {
        this.walk.begin(id);
        this._take(last);
        this._set(status);
      }
    } catch (reason) {
      this._set('none', sentenceOf(reason));
    }
  }

  /** Find what keeps an object alive. */
  async search(id: string): Promise<void> {
    this._setPath(id, { kind: 'searching' });
    try {
      const { status } = await this.memory.request('path', { holder_id: id });
      if (status === 'waiting' && this.path(id)?.kind === 'searching') {
        this._setPath(id, { kind: 'waiting' });
      }
    } catch (reason) {
      this._setPath(id, { kind: 'failed', problem: sentenceOf(reason) });
    }
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._occasions.dispose();
    this.walk.dispose();
    Signal.clearData(this);
  }

  private _onEvent(_memory: IKernelMemory, event: Event): void {
    if (event.type === 'holders') {
      this._paths.clear();
      this._take(event);
      if (!isBusy(this.memory.state)) {
        this._occasions.met();
      }
      this._set('none', null);
    } else if (event.type === 'path') {
      this._setPath(event.holder_id, { kind: 'found', path: event });
    } else if (event.type === 'error' && event.where === 'mainloop') {
      this._fail(event.message.text);
    }
  }

  private _onState(): void {
    const life = this.memory.state.hello?.life_id;
    if (life !== this._life) {
      this._life = life;
      this._last = null;
      this._paths.clear();
      this._set('none', null);
    }
  }

  /** What was asked for will not come. */
  private _fail(problem: string): void {
    for (const [id, step] of this._paths) {
      if (step.kind === 'searching' || step.kind === 'waiting') {
        this._paths.set(id, { kind: 'failed', problem });
      }
    }
    this._set('none', this._asked === 'none' ? this._problem : problem);
  }

  private _take(holders: IHolders | null): void {
    this._last = holders ?? this._last;
  }

  private _set(asked: Asked, problem = this._problem): void {
    if (asked === 'none') {
      this.walk.end();
    }
    this._asked = asked;
    this._problem = problem;
    this._changed.emit();
  }

  private _setPath(id: string, step: PathStep): void {
    this._paths.set(id, step);
    this._changed.emit();
  }

  private readonly _occasions: Occasions;
  private readonly _paths = new Map<string, PathStep>();
  private readonly _changed = new Signal<this, void>(this);
  private _life: string | undefined;
  private _last: IHolders | null = null;
  private _asked: Asked = 'none';
  private _problem: string | null = null;
  private _isDisposed = false;
}
