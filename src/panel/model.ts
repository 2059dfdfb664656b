import type { TranslationBundle } from '@jupyterlab/translation';
import { VDomModel } from '@jupyterlab/ui-components';
import type { IDisposable } from '@lumino/disposable';
import { Poll, Throttler } from '@lumino/polling';
import { Signal } from '@lumino/signaling';

import type { IFreeingServices } from '../freeing/services';
import { fullest } from '../kernel/level';
import { staleness } from '../kernel/model';
import { type IShare, sharesOf } from '../notebooks/sharing';
import type { IDevice, IHeldDevice } from '../protocol';
import type { IGpuMemory, IKernelMemory, IOtherKernels } from '../tokens';
import { Freeables } from './freeables';
import { HoldersModel } from './holders';
import type { ISorting } from './rows';

/** Numbers change no faster than they can be read. */
const RENDER_MS = 250;

/** Numbers grow old without anything being said of it. */
const TICK_MS = 1000;

/**
 * What the panel shows of the focused notebook's or console's kernel.
 */
export class PanelModel extends VDomModel {
  constructor(options: PanelModel.IOptions) {
    super();
    this._memory = options.memory;
    this.trans = options.trans;
    this.others = options.others ?? null;
    this._services = options.services;
    this._documentName = options.documentName;
    this._throttler = new Throttler(() => {
      this._wasStale = this.isStale;
      this.stateChanged.emit();
    }, RENDER_MS);
    this._poll = new Poll({
      factory: () => {
        if (this._wasStale !== this.isStale) {
          this._onState();
        }
        return Promise.resolve();
      },
      frequency: { interval: TICK_MS, backoff: false },
      name: 'gpu-headroom:panel',
      standby: () => (this._isShown ? 'when-hidden' : true)
    });
    this._memory.currentChanged.connect(this._onCurrent, this);
    this.others?.changed.connect(this._onOthers, this);
    this._onCurrent();
  }

  readonly trans: TranslationBundle;

  /** The other kernels of the server; `null` where they cannot be asked. */
  readonly others: IOtherKernels | null;

  /** The kernel that is shown. */
  get current(): IKernelMemory | null {
    return this._current;
  }

  /** Who holds its memory. */
  get holders(): HoldersModel | null {
    return this._holders;
  }

  /** What can be freed in it. */
  get freeables(): Freeables | null {
    return this._freeables;
  }

  /** The name of the document that the kernel belongs to. */
  get documentName(): string {
    return this._documentName();
  }

  get devices(): readonly IDevice[] {
    return this._current?.state.sample?.devices ?? [];
  }

  /** Whether the numbers are too old to be shown as they are. */
  get isStale(): boolean {
    const state = this._current?.state;
    return state !== undefined && staleness(state, Date.now()) !== null;
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

  /** What other notebooks hold of that device. */
  get shares(): readonly IShare[] {
    const { device, others } = this;
    return device && others ? sharesOf(others.kernels, device) : [];
  }

  /** What all others hold of it, as the driver says; `null`: not measured. */
  get othersBytes(): number | null {
    const sizes = this.held?.processes?.map(({ bytes }) => bytes) ?? [null];
    const sum = sizes.includes(null)
      ? null
      : sizes.reduce<number>((total, bytes) => total + (bytes ?? 0), 0);
    return this.device?.others_bytes ?? sum;
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
    this._followFreeables();
  }

  /** Whether the section of what can be freed is open and on screen. */
  set areFreeablesShown(areShown: boolean) {
    this._areFreeablesShown = areShown;
    this._followFreeables();
  }

  /** Whether the section of the other notebooks is open and on screen. */
  set areOthersShown(areShown: boolean) {
    this._watchedOthers?.dispose();
    this._watchedOthers = areShown ? (this.others?.watch() ?? null) : null;
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
    this._watchedOthers?.dispose();
    this._holders?.dispose();
    this._freeables?.dispose();
    this._poll.dispose();
    this._throttler.dispose();
    Signal.clearData(this);
    super.dispose();
  }

  private _onCurrent(): void {
    this._current?.stateChanged.disconnect(this._onState, this);
    this._holders?.dispose();
    this._freeables?.dispose();
    this._current = this._memory.current;
    this._current?.stateChanged.connect(this._onState, this);
    this._holders = null;
    this._freeables = null;
    if (this._current) {
      this._holders = new HoldersModel(this._current);
      this._freeables = new Freeables(this._current, this._services);
    }
    this._holders?.changed.connect(this._onMeasured, this);
    this._freeables?.changed.connect(this._onMeasured, this);
    this.areHoldersShown = this._areHoldersShown;
    this._watch();
    this.stateChanged.emit();
  }

  private _onState(): void {
    if (this._isShown) {
      void this._throttler.invoke();
    }
  }

  private _onOthers(): void {
    this._followFreeables();
    if (this._watchedOthers) {
      this.stateChanged.emit();
    }
  }

  private _onMeasured(): void {
    this.stateChanged.emit();
  }

  /** Rows of holders offer what can be freed, too. */
  private _followFreeables(): void {
    const { _current: current, _freeables: freeables } = this;
    if (current && freeables) {
      const { checklist } = freeables;
      checklist.isShared = this.others?.isSharing(current) ?? false;
      checklist.isShown = this._areHoldersShown || this._areFreeablesShown;
    }
  }

  private _watch(): void {
    this._watched?.dispose();
    this._watched = this._isShown ? (this._current?.watch() ?? null) : null;
  }

  private readonly _memory: IGpuMemory;
  private readonly _services: IFreeingServices;
  private readonly _documentName: () => string;
  private readonly _throttler: Throttler;
  private readonly _poll: Poll;
  private readonly _picked = new WeakMap<IKernelMemory, number>();
  private _current: IKernelMemory | null = null;
  private _holders: HoldersModel | null = null;
  private _freeables: Freeables | null = null;
  private _watched: IDisposable | null = null;
  private _watchedOthers: IDisposable | null = null;
  private _sorting: ISorting = { column: 'size', isAscending: false };
  private _wasStale = false;
  private _isShown = false;
  private _areHoldersShown = false;
  private _areFreeablesShown = false;
}

/**
 * A namespace for `PanelModel` statics.
 */
export namespace PanelModel {
  /** What a panel is about. */
  export interface IOptions {
    memory: IGpuMemory;
    others?: IOtherKernels | null;
    services: IFreeingServices;
    trans: TranslationBundle;
    /** The name of the focused document; empty where there is none. */
    documentName: () => string;
  }
}
