import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

/** When the helper is put into kernels that lack it. */
export type StartHelper = 'automatically' | 'click' | 'never';

/** What happens after a cell ran out of memory. */
export type AfterOom = 'ask' | 'free' | 'never';

/**
 * The settings of `schema/plugin.json`, typed, with a value for each.
 */
export interface ISettings {
  readonly showGauge: boolean;
  readonly alwaysShow: boolean;
  readonly compact: boolean;
  readonly startHelper: StartHelper;
  readonly markCells: boolean;
  readonly showBadges: boolean;
  readonly keepReports: boolean;
  readonly recordAllocations: boolean;
  readonly afterOom: AfterOom;
  readonly showShutDown: boolean;
  /** Readings per second while a cell runs. */
  readonly rate: number;
  /** Readings per second while a cell runs and somebody looks closely. */
  readonly watchedRate: number;
}

export const DEFAULT_SETTINGS: ISettings = {
  showGauge: true,
  alwaysShow: false,
  compact: false,
  startHelper: 'automatically',
  markCells: true,
  showBadges: true,
  keepReports: true,
  recordAllocations: false,
  afterOom: 'ask',
  showShutDown: true,
  rate: 2,
  watchedRate: 10
};

/** The name of `schema/plugin.json` in the settings registry. */
const SCHEMA_ID = 'gpu-headroom:plugin';

const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  startHelper: ['automatically', 'click', 'never'],
  afterOom: ['ask', 'free', 'never']
};

/** Whether a stored value can be used: a hand-edited file is not trusted. */
function isUsable(key: keyof ISettings, value: unknown): boolean {
  const choices = CHOICES[key];
  if (choices) {
    return choices.includes(value);
  }
  if (typeof DEFAULT_SETTINGS[key] === 'number') {
    return typeof value === 'number' && value > 0;
  }
  return typeof value === 'boolean';
}

/**
 * Read settings from an object; what is missing or unusable has its default.
 */
export function readSettings(
  composite: Readonly<Record<string, unknown>>
): ISettings {
  const keys = Object.keys(DEFAULT_SETTINGS) as (keyof ISettings)[];
  const usable = keys.filter(key => isUsable(key, composite[key]));
  const found = Object.fromEntries(usable.map(key => [key, composite[key]]));
  return { ...DEFAULT_SETTINGS, ...found };
}

/**
 * The settings as they are now.
 */
export class Settings implements IDisposable {
  /**
   * @param source - the loaded settings of this plugin; without them the
   * defaults hold
   */
  constructor(source: ISettingRegistry.ISettings | null = null) {
    this._source = source;
    this._current = readSettings(source?.composite ?? {});
    source?.changed.connect(this._onChanged, this);
  }

  get current(): ISettings {
    return this._current;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._source?.changed.disconnect(this._onChanged, this);
    Signal.clearData(this);
  }

  private _onChanged(source: ISettingRegistry.ISettings): void {
    this._current = readSettings(source.composite);
    this._changed.emit();
  }

  private readonly _source: ISettingRegistry.ISettings | null;
  private _current: ISettings;
  private readonly _changed = new Signal<this, void>(this);
  private _isDisposed = false;
}

/**
 * Load the settings; where they cannot be had, the defaults hold.
 */
export async function loadSettings(
  registry: ISettingRegistry | null
): Promise<Settings> {
  try {
    return new Settings((await registry?.load(SCHEMA_ID)) ?? null);
  } catch (reason) {
    console.warn('GPU Headroom: its settings could not be loaded.', reason);
    return new Settings();
  }
}
