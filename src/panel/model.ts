import type { TranslationBundle } from '@jupyterlab/translation';
import { VDomModel } from '@jupyterlab/ui-components';
import { DisposableSet } from '@lumino/disposable';
import { Poll, Throttler } from '@lumino/polling';
import { Signal } from '@lumino/signaling';

import { type DryRun, dryRunOf } from '../dryrun/dryrun';
import { KernelFollower } from '../kernel/follower';
import { fullest } from '../memory/level';
import { staleness } from '../memory/model';
import { type IShare, sharesOf } from '../otherkernels/sharing';
import type { IDevice, IHeldDevice, IItem } from '../protocol';
import type { ReleaseSession } from '../release/session';
import type { ReleaseSessions } from '../release/sessions';
import type { IGpuMemory, IKernelMemory, IOtherKernels } from '../tokens';
import type { IRecorded } from '../workers/recording';
import { Workers } from '../workers/workers';
import { HoldersModel } from './holders';
import { orderOf, PanelLayout, type SectionName } from './layout';
import type { ISorting } from './rows';

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
  /** What a person made of the sections before. */
  readonly layout?: PanelLayout;
  /** Whether it is offered to have workers measured. */
  readonly mayMeasure?: () => boolean;
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
    this.layout = _options.layout ?? new PanelLayout();
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
    this._kernel = new KernelFollower(_options.memory);
    this._kernel.changed.connect(this._onCurrent, this);
    this._kernel.stateChanged.connect(this._onState, this);
    this.others?.changed.connect(this._onOthers, this);
    this.layout.changed.connect(this._onLayout, this);
    this._onCurrent();
  }

  readonly trans: TranslationBundle;

  /** The other kernels of the server; `null` where they cannot be asked. */
  readonly others: IOtherKernels | null;

  /** Which sections are open, and how high. */
  readonly layout: PanelLayout;

  /** The sections in the order of the moment. */
  get order(): readonly SectionName[] {
    return orderOf(
      Boolean(this.current?.state.lastOom),
      this.devices.length > 0,
      this.workers !== null,
      this.dryRun !== null
    );
  }

  /** Whether there is nothing that a section could show. */
  get isEmpty(): boolean {
    return this.order.length === 0;
  }

  /** The kernel that is shown. */
  get current(): IKernelMemory | null {
    return this._kernel.current;
  }

  /** Who holds its memory. */
  get holders(): HoldersModel | null {
    return this._holders;
  }

  /** Giving it back. */
  get session(): ReleaseSession | null {
    return this._session;
  }

  /** What its notebook needs of a GPU; `null`: nobody asked. */
  get dryRun(): DryRun | null {
    return this._dryRun?.isShown ? this._dryRun : null;
  }

  /** The processes that it sends its work to; `null`: there are none. */
  get workers(): Workers | null {
    return this.current?.state.sample?.workers ? this._workers : null;
  }

  /** What was read of their fullest card; `null`: nothing. */
  get recorded(): IRecorded | null {
    return this._workers?.recorded ?? null;
  }

  /** Whether the timeline is of that: as picked, else where the kernel has none. */
  get isOfWorkers(): boolean {
    const { current, recorded } = this;
    const isIdle = current?.state.sample?.state !== 'live';
    return (
      recorded !== null &&
      ((current && this._isOfWorkers.get(current)) ?? isIdle)
    );
  }

  set isOfWorkers(isOfWorkers: boolean) {
    if (this.current) {
      this._isOfWorkers.set(this.current, isOfWorkers);
      this.stateChanged.emit();
    }
  }

  /** Whether it is offered to have them measured. */
  get mayMeasure(): boolean {
    return this._options.mayMeasure?.() ?? true;
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
    return this.current?.state.sample?.devices ?? [];
  }

  /** Whether the numbers are too old to be shown as they are. */
  get isStale(): boolean {
    const state = this.current?.state;
    return state !== undefined && staleness(state, Date.now()) !== null;
  }

  /** The device that was picked, else the fullest one. */
  get device(): IDevice | null {
    const { current, devices } = this;
    const index = current && this._picked.get(current);
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

  /** Whether nobody else uses that device, as far as all were asked. */
  get isAlone(): boolean {
    const { held, others, othersBytes, shares } = this;
    const known = shares.length + (held?.processes?.length ?? 0);
    const isOpen = others !== null && (others.unasked > 0 || others.isAsking);
    return othersBytes === 0 && known === 0 && !isOpen;
  }

  /** Whether all was measured that can be freed, and nothing is worth a row. */
  get isNothingFreeable(): boolean {
    const { gap, items, obstacle, plan } = this._session?.checklist ?? {};
    const isMeasured = items?.length === 0 && plan?.step.kind === 'none';
    const isWaiting = (this.current?.state.sample?.queued ?? []).length > 0;
    return isMeasured && !gap && !obstacle && !isWaiting;
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
    this._kernel.isWatched = isShown;
    this._look();
    if (isShown) {
      this.stateChanged.emit();
    }
  }

  /** Show another device in the sections below. */
  pick(index: number): void {
    if (this.current) {
      this._picked.set(this.current, index);
      this.stateChanged.emit();
    }
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._kernel.dispose();
    this._looking.dispose();
    this._poll.dispose();
    this._throttler.dispose();
    this.layout.dispose();
    Signal.clearData(this);
    super.dispose();
  }

  private _onCurrent(): void {
    this._holders?.changed.disconnect(this._onMeasured, this);
    this._session?.changed.disconnect(this._onMeasured, this);
    this._workers?.changed.disconnect(this._onWorkers, this);
    this._dryRun?.changed.disconnect(this._onMeasured, this);
    const { current } = this;
    this._holders = current && this._holdersOf(current);
    this._session = current && this._options.sessions.get(current);
    this._workers = current && this._workersOf(current);
    this._dryRun = current && dryRunOf(current);
    this._holders?.changed.connect(this._onMeasured, this);
    this._session?.changed.connect(this._onMeasured, this);
    this._workers?.changed.connect(this._onWorkers, this);
    this._dryRun?.changed.connect(this._onMeasured, this);
    this._look();
    this.stateChanged.emit();
  }

  private _onState(): void {
    if (this._sections !== this.order.join()) {
      this._look();
    }
    if (this._isShown) {
      void this._throttler.invoke();
    }
  }

  private _onLayout(): void {
    this._look();
    this.stateChanged.emit();
  }

  /** Whether a section is open and on screen. */
  private _isSeen(section: SectionName): boolean {
    return (
      this._isShown &&
      this.order.includes(section) &&
      this.layout.isOpen(section)
    );
  }

  /** Whose memory is on the card decides what is proposed to be freed. */
  private _onOthers(): void {
    if (this._isSeen('Others') || this._isSeen('FreeableList')) {
      this.stateChanged.emit();
    }
  }

  private _onMeasured(): void {
    this.stateChanged.emit();
  }

  private _onWorkers(): void {
    if (this._isSeen('Workers')) {
      this.stateChanged.emit();
    }
  }

  /** What was found and opened in a kernel stays while another is focused. */
  private _holdersOf(memory: IKernelMemory): HoldersModel {
    const holders = this._known.get(memory) ?? new HoldersModel(memory);
    this._known.set(memory, holders);
    return holders;
  }

  private _workersOf(memory: IKernelMemory): Workers {
    const workers = this._workersKnown.get(memory) ?? new Workers(memory);
    this._workersKnown.set(memory, workers);
    return workers;
  }

  /** Have measured what is on screen; rows of holders offer what can be freed. */
  private _look(): void {
    const before = this._looking;
    this._sections = this.order.join();
    const areHoldersShown = this._isSeen('HolderList');
    this._looking = new DisposableSet();
    if (areHoldersShown && this._holders) {
      this._looking.add(this._holders.measurement.show());
    }
    if ((areHoldersShown || this._isSeen('FreeableList')) && this._session) {
      this._looking.add(this._session.checklist.plan.show());
    }
    if (this._isSeen('Others') && this.others) {
      this._looking.add(this.others.watch());
    }
    if (this._isSeen('Workers') && this._workers) {
      this._looking.add(this._workers.show());
    }
    before.dispose();
  }

  private readonly _kernel: KernelFollower;
  private readonly _throttler: Throttler;
  private readonly _poll: Poll;
  private readonly _picked = new WeakMap<IKernelMemory, number>();
  private readonly _isOfWorkers = new WeakMap<IKernelMemory, boolean>();
  private readonly _known = new WeakMap<IKernelMemory, HoldersModel>();
  private readonly _workersKnown = new WeakMap<IKernelMemory, Workers>();
  private _holders: HoldersModel | null = null;
  private _workers: Workers | null = null;
  private _dryRun: DryRun | null = null;
  private _session: ReleaseSession | null = null;
  private _looking = new DisposableSet();
  private _sorting: ISorting = { column: 'size', isAscending: false };
  private _wasStale = false;
  /** Those that there were when it was last seen to what is on screen. */
  private _sections = '';
  private _isShown = false;
}

/** What the parts of the panel are drawn from. */
export interface IPanelProps {
  readonly model: PanelModel;
}
