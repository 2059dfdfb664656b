import { Signal } from '@lumino/signaling';

import { memoryOf } from '../kernel/follower';
import type { IKernelDocument } from '../kernel/tracker';
import type { IGpuMemory, IKernelMemory, IKernelSource } from '../tokens';

/** The kernel of one notebook or console, whether that is focused or not. */
export class DocumentKernel implements IKernelSource {
  /** Disposed with the document. */
  constructor(
    private readonly _document: IKernelDocument,
    private readonly _memory: IGpuMemory
  ) {
    _document.disposed.connect(this._stop, this);
    _document.sessionContext.kernelChanged.connect(this._onChanged, this);
    _memory.currentChanged.connect(this._onChanged, this);
  }

  get current(): IKernelMemory | null {
    return memoryOf(this._document, this._memory);
  }

  readonly currentChanged = new Signal<this, void>(this);

  get hasDocument(): boolean {
    return this._document.sessionContext.isReady;
  }

  private _onChanged(): void {
    this.currentChanged.emit();
  }

  private _stop(): void {
    Signal.clearData(this);
  }
}
