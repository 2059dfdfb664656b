import type { TranslationBundle } from '@jupyterlab/translation';
import { VDomModel } from '@jupyterlab/ui-components';
import { DisposableSet, type IDisposable } from '@lumino/disposable';
import { Poll, Throttler } from '@lumino/polling';
import { Signal } from '@lumino/signaling';

import { fullest } from '../memory/level';
import { staleness } from '../memory/model';
import { type IShare, sharesOf } from '../otherkernels/sharing';
import type { IDevice, IHeldDevice, IItem } from '../protocol';
import type { ReleaseSession } from '../release/session';
import type { ReleaseSessions } from '../release/sessions';
import type { IGpuMemory, IKernelMemory, IOtherKernels } from '../tokens';
import { HoldersModel } from './holders';
import type { ISorting } from './rows';

/** A section of the panel, by what it shows. */
export type SectionName =
  | 'Devices'
  | 'FreeableList'
  | 'History'
  | 'HolderList'
  | 'Others';

/** Inserts a cell that frees items into the notebook of a kernel. */
export type InsertCell = (
  memory: IKernelMemory,
  items: readonly IItem[]
) => void;

interface IOptions {
  readonly memory: IGpuMemory;
  readonly others?: IOtherKernels | null;
  readonly sessions: ReleaseSessions;
  readonly trans: TranslationBundle;
  /** `null`: there is no notebook to take one now. */
  readonly insertCell: () => InsertCell | null;
  /** The name of the focused document; empty where there is none. */
  readonly documentName: () => string;
}

/** Numbers change no faster than they can be read. */
const RENDER_MS = 250;

/** Numbers grow old without anything being said of it. */
const TICK_MS = 1000;

/**
 * What the panel shows of the focused notebook's or console's kernel.
 */
export class PanelModel extends VDomModel {
  constructor(private readonly _options: IOptions) {
    super();
    this.trans = _options.trans;
    this.others = _options.others ?? null;
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
    _options.memory.currentChanged.connect(this._onCurrent, this);
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
  get insertCell(): InsertCell | null {
    return this._options.insertCell();
  }

  /** The name of the document that the kernel belongs to. */
  get documentName(): string {
    return this._options.documentName();
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
    return devices.find(each => each.index === index) ?? fullest(devices);
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
    const processes = this.held?.processes ?? [{ bytes: null }];
    const sum = processes.reduce<number | null>(
      (total, { bytes }) =>
        total === null || bytes === null ? null : total + bytes,
      0
    );
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

  /** A section is open and on screen, or not any more. */
  setShown(section: SectionName, isShown: boolean): void {
    if (isShown) {
      this._shown.add(section);
    } else {
      this._shown.delete(section);
    }
    this._look();
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
    const { memory, sessions } = this._options;
    this._current = memory.current;
    this._holders = this._current && this._holdersOf(this._current);
    this._session = this._current && sessions.get(this._current);
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
    if (this._shown.has('Others') || this._shown.has('FreeableList')) {
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
    const areHoldersShown = this._shown.has('HolderList');
    this._looking = new DisposableSet();
    if (areHoldersShown && this._holders) {
      this._looking.add(this._holders.measurement.show());
    }
    if ((areHoldersShown || this._shown.has('FreeableList')) && this._session) {
      this._looking.add(this._session.checklist.plan.show());
    }
    if (this._shown.has('Others') && this.others) {
      this._looking.add(this.others.watch());
    }
    before.dispose();
  }

  private _watch(): void {
    this._watched?.dispose();
    this._watched = this._isShown ? (this._current?.watch() ?? null) : null;
  }

  private readonly _throttler: Throttler;
  private readonly _poll: Poll;
  private readonly _picked = new WeakMap<IKernelMemory, number>();
  private readonly _shown = new Set<SectionName>();
  private readonly _known = new WeakMap<IKernelMemory, HoldersModel>();
  private _current: IKernelMemory | null = null;
  private _holders: HoldersModel | null = null;
  private _session: ReleaseSession | null = null;
  private _looking = new DisposableSet();
  private _watched: IDisposable | null = null;
  private _sorting: ISorting = { column: 'size', isAscending: false };
  private _wasStale = false;
  private _isShown = false;
}

/** What the parts of the panel are drawn from. */
export interface IPanelProps {
  readonly model: PanelModel;
}

/** What of the panel stands below a title, in so many pixels. */
export interface IBodyProps extends IPanelProps {
  readonly width: number;
}
