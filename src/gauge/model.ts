import type { TranslationBundle } from '@jupyterlab/translation';
import { VDomModel } from '@jupyterlab/ui-components';
import { Poll } from '@lumino/polling';
import { Signal } from '@lumino/signaling';

import { KernelFollower } from '../kernel/follower';
import {
  type IMemo,
  isOver,
  NO_MEMO,
  type Reading,
  readGauge,
  remember,
  settle
} from '../memory/reading';
import { describe } from '../memory/readingwords';
import { type IWorkersReading, readWorkers } from '../memory/workers';
import type { Settings } from '../settings';
import type { IKernelMemory, IKernelSource } from '../tokens';

/** Ages count in seconds, and numbers change slowly enough to be readable. */
const TICK_MS = 1000;

/**
 * Minimum interval between renders while the user is watching closely: every reading
 * shows, and a burst of events only once.
 */
const WATCHED_MS = 30;

/** Minimum interval between urgent announcements. */
const ANNOUNCED_MS = 30_000;

/**
 * Content of a gauge for the kernel of its source, which for the page's own gauge is
 * the focused notebook or console.
 */
export class GaugeModel extends VDomModel {
  constructor(
    source: IKernelSource,
    private readonly _settings: Settings,
    readonly trans: TranslationBundle
  ) {
    super();
    this._kernel = new KernelFollower(source);
    this._kernel.phaseChanged.connect(this.refresh, this);
    this._kernel.stateChanged.connect(this._onState, this);
    _settings.changed.connect(this.refresh, this);
    this._poll = new Poll({
      factory: () => {
        this.refresh();
        return Promise.resolve();
      },
      frequency: { interval: TICK_MS, backoff: false },
      name: 'gpu-headroom:gauge',
      standby: 'when-hidden'
    });
    this.refresh();
  }

  /** The kernel that is shown. */
  get current(): IKernelMemory | null {
    return this._kernel.current;
  }

  get reading(): Reading {
    return this._reading;
  }

  /** The workers of the kernel; `null`: there is nothing to show. */
  get workers(): IWorkersReading | null {
    return this._workers;
  }

  /** Whether there is anything to show. */
  get isShown(): boolean {
    return this._isShown;
  }

  get isCompact(): boolean {
    return this._settings.current.compact;
  }

  /** Sentences for screen readers. */
  readonly announced = new Signal<this, string>(this);

  /** Whether the user is watching closely; numbers then follow every reading. */
  get isWatched(): boolean {
    return this._kernel.isWatched;
  }

  set isWatched(isWatched: boolean) {
    this._kernel.isWatched = isWatched;
    this.refresh();
  }

  /** Read the state again, and emit a change if anything is or was shown. */
  refresh(): void {
    const now = Date.now();
    const wasShown = this._isShown;
    const { kind: before } = this._reading;
    this._refreshedAt = now;
    window.clearTimeout(this._later);
    this._later = undefined;
    this._read(now);
    if (this._reading.kind !== before && isAlarm(this._reading)) {
      this._announce(now);
    }
    if (this._isShown || wasShown) {
      this.stateChanged.emit();
    }
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    window.clearTimeout(this._later);
    this._poll.dispose();
    this._kernel.dispose();
    Signal.clearData(this);
    super.dispose();
  }

  private _read(now: number): void {
    const { alwaysShow, showGauge } = this._settings.current;
    const { current, source } = this._kernel;
    this._workers = current && readWorkers(current.state, now);
    if (!current) {
      const { hasDocument } = source;
      this._reading = hasDocument
        ? { kind: 'disconnected', death: null }
        : { kind: 'hidden' };
      this._isShown = showGauge && hasDocument;
      return;
    }
    const before = this._memos.get(current) ?? NO_MEMO;
    const reading = readGauge(current.state, before, now);
    const memo = remember(before, reading, now);
    this._reading = settle(reading, memo, now);
    this._memos.set(current, memo);
    const isHidden =
      this._reading.kind === 'hidden' ||
      (isOver(memo, now) && !alwaysShow && !this._workers);
    this._isShown = showGauge && !isHidden;
  }

  private _announce(now: number): void {
    if (now - this._announcedAt > ANNOUNCED_MS && this._isShown) {
      this._announcedAt = now;
      this.announced.emit(describe(this._reading, this.trans));
    }
  }

  /** Between ticks, update only for another phase or if the user is watching closely. */
  private _onState(): void {
    const wait_ms = this.isWatched ? WATCHED_MS : TICK_MS;
    const rest_ms = this._refreshedAt + wait_ms - Date.now();
    if (rest_ms <= 0) {
      this.refresh();
    } else if (this.isWatched) {
      // The last of several readings counts, not the first.
      this._later ??= window.setTimeout(() => {
        this.refresh();
      }, rest_ms);
    }
  }

  private readonly _kernel: KernelFollower;
  private readonly _poll: Poll;
  private readonly _memos = new WeakMap<IKernelMemory, IMemo>();
  private _later: number | undefined;
  private _reading: Reading = { kind: 'hidden' };
  private _workers: IWorkersReading | null = null;
  private _isShown = false;
  private _refreshedAt = 0;
  private _announcedAt = -Infinity;
}

/** Whether the user should be notified at once. */
function isAlarm({ kind }: Reading): boolean {
  return ['critical', 'filling', 'short', 'stopped'].includes(kind);
}
