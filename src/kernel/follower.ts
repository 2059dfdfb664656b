import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import { Observable } from '../observable';
import type { Event } from '../protocol';
import type { IGpuMemory, IKernelMemory, IKernelSource } from '../tokens';
import type { IKernelDocument } from './tracker';

/**
 * Follows the kernel of a source, whichever it is by now: says when it is another
 * (`changed`), and what is heard of the one that it is.
 */
export class KernelFollower extends Observable {
  /** Its owner disposes it. */
  constructor(readonly source: IKernelSource) {
    super();
    source.currentChanged.connect(this._follow, this);
    this._follow();
  }

  /** The kernel that is followed; `null`: there is none. */
  get current(): IKernelMemory | null {
    return this._current;
  }

  /** The state of the kernel is another. */
  readonly stateChanged = new Signal<this, IKernelMemory>(this);

  /** Its phase is another, or it is another kernel. */
  readonly phaseChanged = new Signal<this, void>(this);

  /** Every event of the kernel, after its state has taken it in. */
  readonly eventReceived = new Signal<this, Event>(this);

  /** Whether somebody looks closely: readings then come at the fast rate. */
  get isWatched(): boolean {
    return this._isWatched;
  }

  set isWatched(isWatched: boolean) {
    if (isWatched !== this._isWatched) {
      this._isWatched = isWatched;
      this._watch();
    }
  }

  override dispose(): void {
    this.isWatched = false;
    Signal.disconnectReceiver(this);
    super.dispose();
  }

  private _follow(): void {
    const { current } = this.source;
    if (current !== this._current) {
      this._current?.stateChanged.disconnect(this._onState, this);
      this._current?.eventReceived.disconnect(this._onEvent, this);
      this._current = current;
      current?.stateChanged.connect(this._onState, this);
      current?.eventReceived.connect(this._onEvent, this);
      this._watch();
    }
    this._phase = current?.state.phase ?? null;
    this.emit();
    this.phaseChanged.emit();
  }

  private _onState(memory: IKernelMemory): void {
    const { phase } = memory.state;
    const isOther = phase !== this._phase;
    this._phase = phase;
    this.stateChanged.emit(memory);
    if (isOther) {
      this.phaseChanged.emit();
    }
  }

  private _onEvent(_: IKernelMemory, event: Event): void {
    this.eventReceived.emit(event);
  }

  private _watch(): void {
    const before = this._watched;
    this._watched = this._isWatched ? (this._current?.watch() ?? null) : null;
    before?.dispose();
  }

  private _current: IKernelMemory | null = null;
  private _phase: string | null = null;
  private _isWatched = false;
  private _watched: IDisposable | null = null;
}

/** The memory of a document's kernel; `null`: it has none, or no link to it yet. */
export function memoryOf(
  { sessionContext }: Pick<IKernelDocument, 'sessionContext'>,
  memory: IGpuMemory
): IKernelMemory | null {
  const kernel = sessionContext.session?.kernel;
  return kernel ? memory.find(kernel) : null;
}
