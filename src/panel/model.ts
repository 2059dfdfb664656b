import type { TranslationBundle } from '@jupyterlab/translation';
import { VDomModel } from '@jupyterlab/ui-components';
import { DisposableSet, type IDisposable } from '@lumino/disposable';
import { Poll, Throttler } from '@lumino/polling';
import { Signal } from '@lumino/signaling';

import { fullest } from '../kernel/level';
import { staleness } from '../kernel/model';
import { type IShare, sharesOf } from '../notebooks/sharing';
import type { IDevice, IHeldDevice, IItem } from '../protocol';
import type { ReleaseSession } from '../release/session';
import type { ReleaseSessions } from '../release/sessions';
import type { IGpuMemory, IKernelMemory, IOtherKernels } from '../tokens';
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
    this._sessions = options.sessions;
    this._insertCell = options.insertCell;
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

  /** Giving it back. */
  get session(): ReleaseSession | null {
    return this._session;
  }

  /** Insert a cell that frees items; `null` where no notebook can take it. */
  get insertCell(): PanelModel.InsertCell | null {
    return this._insertCell();
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
    const devices = this._holders?.measurement.last?.devices ?? [];
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
    this._look();
  }

  /** Whether the section of what can be freed is open and on screen. */
  set areFreeablesShown(areShown: boolean) {
    this._areFreeablesShown = areShown;
    this._look();
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
    this._looking.dispose();
    this._poll.dispose();
    this._throttler.dispose();
    Signal.clearData(this);
    super.dispose();
  }

  private _onCurrent(): void {
    this._current?.stateChanged.disconnect(this._onState, this);
    this._holders?.changed.disconnect(this._onMeasured, this);
    this._session?.changed.disconnect(this._onMeasured, this);
    this._current = this._memory.current;
    this._holders = this._current && this._holdersOf(this._current);
    this._session = this._current && this._sessions.get(this._current);
    this._current?.stateChanged.connect(this._onState, this);
    this._holders?.changed.connect(this._onMeasured, this);
    this._session?.changed.connect(this._onMeasured, this);
    this._look();
    this._watch();
    this.stateChanged.emit();
  }

  private _onState(): void {
    if (this._isShown) {
      void this._throttler.invoke();
    }
  }

  /** Whose memory is on the card decides what is proposed to be freed. */
  private _onOthers(): void {
    if (this._watchedOthers || this._areFreeablesShown) {
      this.stateChanged.emit();
    }
  }

  private _onMeasured(): void {
    this.stateChanged.emit();
  }

  /** What was found and opened in a kernel stays while another is focused. */
  private _holdersOf(memory: IKernelMemory): HoldersModel {
    const holders = this._known.get(memory) ?? new HoldersModel(memory);
    this._known.set(memory, holders);
    return holders;
  }

  /** Have measured what is on screen; rows of holders offer what can be freed. */
  private _look(): void {
    const before = this._looking;
    this._looking = new DisposableSet();
    if (this._areHoldersShown && this._holders) {
      this._looking.add(this._holders.measurement.show());
    }
    if ((this._areHoldersShown || this._areFreeablesShown) && this._session) {
      this._looking.add(this._session.checklist.plan.show());
    }
    before.dispose();
  }

  private _watch(): void {
    this._watched?.dispose();
    this._watched = this._isShown ? (this._current?.watch() ?? null) : null;
  }

  private readonly _memory: IGpuMemory;
  private readonly _sessions: ReleaseSessions;
  private readonly _insertCell: () => PanelModel.InsertCell | null;
  private readonly _documentName: () => string;
  private readonly _throttler: Throttler;
  private readonly _poll: Poll;
  private readonly _picked = new WeakMap<IKernelMemory, number>();
  private readonly _known = new WeakMap<IKernelMemory, HoldersModel>();
  private _current: IKernelMemory | null = null;
  private _holders: HoldersModel | null = null;
  private _session: ReleaseSession | null = null;
  private _looking = new DisposableSet();
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
  /** Inserts a cell that frees items into the notebook of a kernel. */
  export type InsertCell = (
    memory: IKernelMemory,
    items: readonly IItem[]
  ) => void;

  /** What a panel is about. */
  export interface IOptions {
    memory: IGpuMemory;
    others?: IOtherKernels | null;
    sessions: ReleaseSessions;
    /** `null`: there is no notebook to take one now. */
    insertCell: () => InsertCell | null;
    trans: TranslationBundle;
    /** The name of the focused document; empty where there is none. */
    documentName: () => string;
  }
}
