import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import { Observable } from '../observable';
import type { Event } from '../protocol';
import type { IGpuMemory, IKernelMemory, IKernelSource } from '../tokens';
import type { IKernelDocument } from './tracker';

/**
 * Follows the current kernel of a source: emits `changed` when it is replaced, and
 * forwards the signals of the current one.
 */
export class KernelFollower extends Observable {
  /** Disposed by its owner. */
  constructor(readonly source: IKernelSource) {
    super();
    source.currentChanged.connect(this._follow, this);
    this._follow();
  }

  /** The followed kernel; `null`: there is none. */
  get current(): IKernelMemory | null {
    return this._current;
  }

  /** Emitted when the state of the kernel changes. */
  readonly stateChanged = new Signal<this, IKernelMemory>(this);

  /** Emitted when the phase changes or the kernel is replaced. */
  readonly phaseChanged = new Signal<this, void>(this);

  /** Every event of the kernel, emitted after its state is updated. */
  readonly eventReceived = new Signal<this, Event>(this);

  /** Whether the user is watching closely; readings then arrive at the fast rate. */
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

/**
 * The memory of a document's kernel; `null`: there is no kernel, or no link to it yet.
 */
export function memoryOf(
  { sessionContext }: Pick<IKernelDocument, 'sessionContext'>,
  memory: IGpuMemory
): IKernelMemory | null {
  const kernel = sessionContext.session?.kernel;
  return kernel ? memory.find(kernel) : null;
}
