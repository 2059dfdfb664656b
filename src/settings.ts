import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';
import * as v from 'valibot';

const rate = v.pipe(v.number(), v.gtValue(0));

/**
 * The settings of `schema/plugin.json`, each with its default: that holds where a
 * value is missing or cannot be used. A hand-edited file is not trusted.
 */
const SettingsSchema = v.object({
  showGauge: v.fallback(v.boolean(), true),
  alwaysShow: v.fallback(v.boolean(), false),
  compact: v.fallback(v.boolean(), false),
  /** When the helper is put into kernels that lack it. */
  startHelper: v.fallback(
    v.picklist(['automatically', 'click', 'never']),
    'automatically'
  ),
  markCells: v.fallback(v.boolean(), true),
  showBadges: v.fallback(v.boolean(), true),
  keepReports: v.fallback(v.boolean(), true),
  recordAllocations: v.fallback(v.boolean(), false),
  /** What happens after a cell ran out of memory. */
  afterOom: v.fallback(v.picklist(['ask', 'free', 'never']), 'ask'),
  showShutDown: v.fallback(v.boolean(), true),
  /** Readings per second while a cell runs. */
  rate: v.fallback(rate, 2),
  /** Readings per second while a cell runs and somebody looks closely. */
  watchedRate: v.fallback(rate, 10)
});

/** The settings, typed, with a value for each. */
export interface ISettings
  extends Readonly<v.InferOutput<typeof SettingsSchema>> {}

/** The name of `schema/plugin.json` in the settings registry. */
const SCHEMA_ID = 'gpu-headroom:plugin';

/**
 * Read settings from an object; what is missing or unusable has its default.
 */
export function readSettings(
  composite: Readonly<Record<string, unknown>>
): ISettings {
  return v.parse(SettingsSchema, composite);
}

export const DEFAULT_SETTINGS = readSettings({});

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
