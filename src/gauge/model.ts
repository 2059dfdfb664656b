import type { TranslationBundle } from '@jupyterlab/translation';
import { VDomModel } from '@jupyterlab/ui-components';
import { Poll } from '@lumino/polling';
import { type ISignal, Signal } from '@lumino/signaling';

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
import type { Settings } from '../settings';
import type { IGpuMemory, IKernelMemory } from '../tokens';

/** Ages count in seconds, and numbers change no faster than they can be read. */
const TICK_MS = 1000;

/** While somebody looks closely: every reading, and a burst of events only once. */
const WATCHED_MS = 30;

/** Becoming critical or filling up is announced at most this often. */
const ANNOUNCED_MS = 30_000;

/**
 * What the gauge shows of the focused notebook's or console's kernel.
 */
export class GaugeModel extends VDomModel {
  constructor(
    private readonly _memory: IGpuMemory,
    private readonly _settings: Settings,
    readonly trans: TranslationBundle
  ) {
    super();
    _memory.currentChanged.connect(this._onCurrent, this);
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
    this._onCurrent();
  }

  /** The kernel that is shown. */
  get current(): IKernelMemory | null {
    return this._current;
  }

  get reading(): Reading {
    return this._reading;
  }

  /** Whether there is anything to show. */
  get isShown(): boolean {
    return this._isShown;
  }

  get isCompact(): boolean {
    return this._settings.current.compact;
  }

  /** Sentences worth saying aloud. */
  get announced(): ISignal<this, string> {
    return this._announced;
  }

  /** Whether somebody looks closely: numbers then follow every reading. */
  get isWatched(): boolean {
    return this._isWatched;
  }

  set isWatched(isWatched: boolean) {
    this._isWatched = isWatched;
    this.refresh();
  }

  /** Read again, and say so where anything is shown or was. */
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
    Signal.clearData(this);
    super.dispose();
  }

  private _read(now: number): void {
    const { alwaysShow, showGauge } = this._settings.current;
    if (!this._current) {
      const { hasDocument } = this._memory;
      this._reading = hasDocument
        ? { kind: 'disconnected', death: null }
        : { kind: 'hidden' };
      this._isShown = showGauge && hasDocument;
      return;
    }
    const before = this._memos.get(this._current) ?? NO_MEMO;
    const reading = readGauge(this._current.state, before, now);
    const memo = remember(before, reading, now);
    this._reading = settle(reading, memo, now);
    this._memos.set(this._current, memo);
    const isHidden =
      this._reading.kind === 'hidden' || (isOver(memo, now) && !alwaysShow);
    this._isShown = showGauge && !isHidden;
  }

  private _announce(now: number): void {
    if (now - this._announcedAt > ANNOUNCED_MS && this._isShown) {
      this._announcedAt = now;
      this._announced.emit(describe(this._reading, this.trans));
    }
  }

  private _onCurrent(): void {
    this._current?.stateChanged.disconnect(this._onState, this);
    this._current = this._memory.current;
    this._current?.stateChanged.connect(this._onState, this);
    this.refresh();
  }

  /** Between ticks, only what cannot wait: another phase, or a closer look. */
  private _onState(): void {
    const phase = this._current?.state.phase;
    const wait_ms = this._isWatched ? WATCHED_MS : TICK_MS;
    const rest_ms = this._refreshedAt + wait_ms - Date.now();
    if (rest_ms <= 0 || phase !== this._phase) {
      this._phase = phase;
      this.refresh();
    } else if (this._isWatched) {
      // The last of several readings counts, not the first.
      this._later ??= window.setTimeout(() => {
        this.refresh();
      }, rest_ms);
    }
  }

  private readonly _poll: Poll;
  private readonly _memos = new WeakMap<IKernelMemory, IMemo>();
  private readonly _announced = new Signal<this, string>(this);
  private _current: IKernelMemory | null = null;
  private _phase: string | undefined;
  private _later: number | undefined;
  private _reading: Reading = { kind: 'hidden' };
  private _isShown = false;
  private _isWatched = false;
  private _refreshedAt = 0;
  private _announcedAt = -Infinity;
}

/** Whether a person should know at once. */
function isAlarm({ kind }: Reading): boolean {
  return kind === 'critical' || kind === 'filling' || kind === 'stopped';
}
