import type { TranslationBundle } from '@jupyterlab/translation';
import { VDomModel } from '@jupyterlab/ui-components';
import type { IDisposable } from '@lumino/disposable';
import { Throttler } from '@lumino/polling';
import { Signal } from '@lumino/signaling';

import { fullest } from '../gauge/level';
import type { IDevice, IHeldDevice } from '../protocol';
import type { IGpuMemory, IKernelMemory } from '../tokens';
import { HoldersModel } from './holders';
import type { ISorting } from './rows';

/** Numbers change no faster than they can be read. */
const RENDER_MS = 250;

/**
 * What the panel shows of the focused notebook's or console's kernel.
 */
export class PanelModel extends VDomModel {
  constructor(options: PanelModel.IOptions) {
    super();
    this._memory = options.memory;
    this.trans = options.trans;
    this._documentName = options.documentName;
    this._throttler = new Throttler(() => {
      this.stateChanged.emit();
    }, RENDER_MS);
    this._memory.currentChanged.connect(this._onCurrent, this);
    this._onCurrent();
  }

  readonly trans: TranslationBundle;

  /** The kernel that is shown. */
  get current(): IKernelMemory | null {
    return this._current;
  }

  /** Who holds its memory. */
  get holders(): HoldersModel | null {
    return this._holders;
  }

  /** The name of the document that the kernel belongs to. */
  get documentName(): string {
    return this._documentName();
  }

  get devices(): readonly IDevice[] {
    return this._current?.state.sample?.devices ?? [];
  }

  /** The device that was picked, else the fullest one. */
  get device(): IDevice | null {
    const { devices } = this;
    const index = this._current && this._picked.get(this._current);
    return (
      devices.find(device => device.index === index) ?? fullest(devices) ?? null
    );
  }

  /** Who holds the memory of that device. */
  get held(): IHeldDevice | null {
    const index = this.device?.index;
    const devices = this._holders?.last?.devices ?? [];
    return devices.find(({ device_index }) => device_index === index) ?? null;
  }

  get sorting(): ISorting {
    return this._sorting;
  }

  set sorting(sorting: ISorting) {
    this._sorting = sorting;
    this.stateChanged.emit();
  }

  /** Whether the panel is on screen: readings then come at the fast rate. */
  set isShown(isShown: boolean) {
    this._isShown = isShown;
    this._watch();
    if (isShown) {
      this.stateChanged.emit();
    }
  }

  /** Whether the section of the holders is open and on screen. */
  set areHoldersShown(areShown: boolean) {
    this._areHoldersShown = areShown;
    if (this._holders) {
      this._holders.isShown = areShown;
    }
  }

  /** Show another device in the sections below. */
  pick(index: number): void {
    if (this._current) {
      this._picked.set(this._current, index);
      this.stateChanged.emit();
    }
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._watched?.dispose();
    this._holders?.dispose();
    this._throttler.dispose();
    Signal.clearData(this);
    super.dispose();
  }

  private _onCurrent(): void {
    this._current?.stateChanged.disconnect(this._onState, this);
    this._holders?.dispose();
    this._current = this._memory.current;
    this._current?.stateChanged.connect(this._onState, this);
    this._holders = null;
    if (this._current) {
      this._holders = new HoldersModel(this._current);
    }
    this._holders?.changed.connect(this._onHolders, this);
    this.areHoldersShown = this._areHoldersShown;
    this._watch();
    this.stateChanged.emit();
  }

  private _onState(): void {
    if (this._isShown) {
      void this._throttler.invoke();
    }
  }

  private _onHolders(): void {
    this.stateChanged.emit();
  }

  private _watch(): void {
    this._watched?.dispose();
    this._watched = this._isShown ? (this._current?.watch() ?? null) : null;
  }

  private readonly _memory: IGpuMemory;
  private readonly _documentName: () => string;
  private readonly _throttler: Throttler;
  private readonly _picked = new WeakMap<IKernelMemory, number>();
  private _current: IKernelMemory | null = null;
  private _holders: HoldersModel | null = null;
  private _watched: IDisposable | null = null;
  private _sorting: ISorting = { column: 'size', isAscending: false };
  private _isShown = false;
  private _areHoldersShown = false;
}

/**
 * A namespace for `PanelModel` statics.
 */
export namespace PanelModel {
  /** What a panel is about. */
  export interface IOptions {
    memory: IGpuMemory;
    trans: TranslationBundle;
    /** The name of the focused document; empty where there is none. */
    documentName: () => string;
  }
}
