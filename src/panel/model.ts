import type { TranslationBundle } from '@jupyterlab/translation';
import { VDomModel } from '@jupyterlab/ui-components';
import { Token } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Poll, Throttler } from '@lumino/polling';
import { type ISignal, Signal } from '@lumino/signaling';
import type * as React from 'react';

import { KernelFollower } from '../kernel/follower';
import { perKernel } from '../kernel/perkernel';
import { fullest } from '../memory/level';
import { staleness } from '../memory/model';
import { Registry } from '../registry';
import type { IDevice, IHeldDevice, IItem } from '../protocol';
import type { ReleaseSession } from '../release/session';
import type { ReleaseSessions } from '../release/sessions';
import type { IGpuMemory, IKernelMemory } from '../tokens';
import { HoldersModel } from './holders';
import type { ISorting } from './rows';

/** Inserts a cell that frees items into the notebook of a kernel. */
export type InsertCell = (
  memory: IKernelMemory,
  items: readonly IItem[]
) => void;

interface IOptions {
  readonly memory: IGpuMemory;
  readonly sessions: ReleaseSessions;
  readonly trans: TranslationBundle;
  /** `null`: no notebook can take a cell now. */
  readonly insertCell: () => InsertCell | null;
  /** Name of the focused document; empty if there is none. */
  readonly documentName: () => string;
}

/** Minimum interval between renders, so that numbers stay readable. */
const RENDER_MS = 250;

/** Interval at which the age of numbers is checked, since no event reports it. */
const TICK_MS = 1000;

/** State of the panel for the kernel of the focused notebook or console. */
export class PanelModel extends VDomModel {
  constructor(private readonly _options: IOptions) {
    super();
    this.trans = _options.trans;
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
    this.sections.changed.connect(this._onCurrent, this);
    this._onCurrent();
  }

  readonly trans: TranslationBundle;

  readonly sections: ISections = new Registry();

  /** The sections that have something to show, in their order. */
  get order(): readonly IPanelSection[] {
    const hasFailed = Boolean(this.current?.state.lastOom);
    const rankOf = ({ failedRank, rank }: IPanelSection): number =>
      (hasFailed ? failedRank : undefined) ?? rank;
    return this.sections.all
      .filter(({ isShown }) => isShown?.(this) ?? this.devices.length > 0)
      .sort((first, second) => rankOf(first) - rankOf(second));
  }

  /** The kernel that is shown. */
  get current(): IKernelMemory | null {
    return this._kernel.current;
  }

  /** The holders of its memory. */
  get holders(): HoldersModel | null {
    return this._holders;
  }

  /** The release session of the kernel. */
  get session(): ReleaseSession | null {
    return this._session;
  }

  /** Insert a cell that frees items; `null` if no notebook can take it. */
  get insertCell(): InsertCell | null {
    return this._options.insertCell();
  }

  /** Name of the document that the kernel belongs to. */
  get documentName(): string {
    return this._options.documentName();
  }

  get devices(): readonly IDevice[] {
    return this.current?.state.sample?.devices ?? [];
  }

  /** Whether the numbers are stale. */
  get isStale(): boolean {
    const state = this.current?.state;
    return state !== undefined && staleness(state, Date.now()) !== null;
  }

  /** The selected device, else the fullest one. */
  get device(): IDevice | null {
    const { current, devices } = this;
    const index = current && this._picked.get(current);
    return devices.find(device => device.index === index) ?? fullest(devices);
  }

  /** The holders of that device's memory. */
  get held(): IHeldDevice | null {
    const index = this.device?.index;
    const devices = this._holders?.measurement.last?.devices ?? [];
    return devices.find(({ device_index }) => device_index === index) ?? null;
  }

  get sorting(): ISorting {
    return this._sorting;
  }

  set sorting(sorting: ISorting) {
    this._sorting = sorting;
    this.stateChanged.emit();
  }

  /** Whether the panel is on screen; readings then arrive at the fast rate. */
  set isShown(isShown: boolean) {
    this._isShown = isShown;
    this._kernel.isWatched = isShown;
    if (isShown) {
      this.stateChanged.emit();
    }
  }

  /** Select the device that the sections below show. */
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
    this._poll.dispose();
    this._throttler.dispose();
    this.sections.dispose();
    Signal.clearData(this);
    super.dispose();
  }

  private _onCurrent(): void {
    const { current } = this;
    this._holders = current && this._holdersOf(current);
    this._session = current && this._options.sessions.get(current);
    for (const changed of this._followed) {
      changed.disconnect(this._onFollowed, this);
    }
    this._followed = this.sections.all.flatMap(
      ({ follows }) => follows?.(this)?.changed ?? []
    );
    for (const changed of this._followed) {
      changed.connect(this._onFollowed, this);
    }
    this.stateChanged.emit();
  }

  private _onState(): void {
    if (this._isShown) {
      void this._throttler.invoke();
    }
  }

  private _onFollowed(): void {
    this.stateChanged.emit();
  }

  private readonly _kernel: KernelFollower;
  private readonly _throttler: Throttler;
  private readonly _poll: Poll;
  private readonly _picked = new WeakMap<IKernelMemory, number>();
  /** Results and open rows of a kernel are kept while another is focused. */
  private readonly _holdersOf = perKernel(memory => new HoldersModel(memory));
  private _holders: HoldersModel | null = null;
  private _session: ReleaseSession | null = null;
  private _followed: readonly ISignal<unknown, void>[] = [];
  private _sorting: ISorting = { column: 'size', isAscending: false };
  private _wasStale = false;
  private _isShown = false;
}

/** A section of the panel, rendered from its model. */
export interface IPanelSection {
  readonly id: string;
  /** Position in the panel, from the top. */
  readonly rank: number;
  /** Position after an out-of-memory error, if different. */
  readonly failedRank?: number;
  /** Height in pixels below which it is not reduced, unless its content is smaller. */
  readonly minHeight?: number;
  readonly label: (trans: TranslationBundle) => string;
  /** Text at the right of the title. */
  readonly total: (model: PanelModel) => string;
  /** Whether it is in the panel; by default, while the kernel has a device. */
  readonly isShown?: (model: PanelModel) => boolean;
  /** Rerenders the panel when it changes, in addition to the state of the kernel. */
  readonly follows?: (
    model: PanelModel
  ) => { readonly changed: ISignal<unknown, void> } | null;
  /** Measure what the section shows until the result is disposed. */
  readonly look?: (model: PanelModel) => IDisposable | null;
  readonly Body: React.FunctionComponent<IPanelProps>;
}

/** The sections of the panel. */
export type ISections = Registry<IPanelSection>;

/** Token of the sections of the panel, for plugins that add some. */
export const ISections = new Token<ISections>(
  'gpu-headroom:ISections',
  'The sections of the panel.'
);

/** Props of the parts of the panel. */
export interface IPanelProps {
  readonly model: PanelModel;
}
