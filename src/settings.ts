import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import * as v from 'valibot';

import { Observable } from './observable';

const rate = v.pipe(v.number(), v.gtValue(0));

/**
 * The settings of `schema/plugin.json`, each with its default, which applies if a value
 * is missing or invalid. A file edited by hand is not trusted.
 */
const SettingsSchema = v.object({
  showGauge: v.fallback(v.boolean(), true),
  alwaysShow: v.fallback(v.boolean(), false),
  compact: v.fallback(v.boolean(), false),
  /** When the helper is started in kernels that lack it. */
  startHelper: v.fallback(
    v.picklist(['automatically', 'click', 'never']),
    'automatically'
  ),
  markCells: v.fallback(v.boolean(), true),
  showBadges: v.fallback(v.boolean(), true),
  keepReports: v.fallback(v.boolean(), true),
  nameOthers: v.fallback(v.boolean(), true),
  recordAllocations: v.fallback(v.boolean(), false),
  /** Action after a cell ran out of memory. */
  afterOom: v.fallback(v.picklist(['ask', 'free', 'never']), 'ask'),
  /** Whether measuring workers is offered. */
  measureWorkers: v.fallback(v.picklist(['ask', 'asked', 'never']), 'ask'),
  showShutDown: v.fallback(v.boolean(), true),
  /** Readings per second while a cell runs. */
  rate: v.fallback(rate, 2),
  /** Readings per second while a cell runs and the user is watching closely. */
  watchedRate: v.fallback(rate, 10)
});

/** The settings, typed, with a value for each. */
export interface ISettings
  extends Readonly<v.InferOutput<typeof SettingsSchema>> {}

/** The name of `schema/plugin.json` in the settings registry. */
const SCHEMA_ID = 'gpu-headroom:plugin';

/** Read settings from an object; missing or invalid values get their default. */
export function readSettings(
  composite: Readonly<Record<string, unknown>>
): ISettings {
  return v.parse(SettingsSchema, composite);
}

export const DEFAULT_SETTINGS = readSettings({});

/** The current settings. */
export class Settings extends Observable {
  /**
   * @param source - the loaded settings of this plugin; without them the defaults
   *   apply
   */
  constructor(source: ISettingRegistry.ISettings | null = null) {
    super();
    this._current = readSettings(source?.composite ?? {});
    source?.changed.connect(this._onChanged, this);
  }

  get current(): ISettings {
    return this._current;
  }

  private _onChanged(source: ISettingRegistry.ISettings): void {
    this._current = readSettings(source.composite);
    this.emit();
  }

  private _current: ISettings;
}

/** Settings shared by the plugins of a page. */
const shared = new WeakMap<ISettingRegistry, Promise<Settings>>();

/** Load the settings of a page, once; the defaults apply if they cannot be loaded. */
export async function loadSettings(
  registry: ISettingRegistry | null
): Promise<Settings> {
  if (registry === null) {
    return new Settings();
  }
  const loaded = shared.get(registry) ?? load(registry);
  shared.set(registry, loaded);
  return loaded;
}

async function load(registry: ISettingRegistry): Promise<Settings> {
  try {
    return new Settings(await registry.load(SCHEMA_ID));
  } catch (reason) {
    console.warn('GPU Headroom: its settings could not be loaded.', reason);
    return new Settings();
  }
}
