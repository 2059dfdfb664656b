import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Signal } from '@lumino/signaling';

import schema from '../../schema/plugin.json';
import {
  DEFAULT_SETTINGS,
  loadSettings,
  readSettings,
  Settings
} from '../settings';

class FakeSource {
  readonly changed = new Signal<this, void>(this);
  composite: Record<string, unknown> = {};

  set(composite: Record<string, unknown>): void {
    this.composite = composite;
    this.changed.emit();
  }
}

const source = (fake: FakeSource): ISettingRegistry.ISettings =>
  fake as unknown as ISettingRegistry.ISettings;

describe('settings', () => {
  it('should have the defaults of the schema', () => {
    const defaults = Object.entries(schema.properties).map(
      ([key, property]) => [key, property.default]
    );
    expect(Object.fromEntries(defaults)).toEqual(DEFAULT_SETTINGS);
  });

  it('should give every setting a title and a description', () => {
    for (const property of Object.values(schema.properties)) {
      expect(property).toMatchObject({
        title: expect.stringMatching(/\S/) as string,
        description: expect.stringMatching(/\.$/) as string
      });
    }
  });

  it.each([
    ['startHelper', 'sometimes'],
    ['compact', 'yes'],
    ['rate', 0],
    ['rate', '2']
  ] as const)('should reject %s: %j', (key, value) => {
    expect(readSettings({ [key]: value })[key]).toBe(DEFAULT_SETTINGS[key]);
  });

  it('should follow changes until it is disposed', () => {
    const fake = new FakeSource();
    const settings = new Settings(source(fake));
    const listener = jest.fn();
    settings.changed.connect(listener);
    fake.set({ compact: true });
    expect(settings.current.compact).toBe(true);
    settings.dispose();
    settings.dispose();
    fake.set({ compact: false });
    expect(settings.current.compact).toBe(true);
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('should use the defaults when nothing can be loaded', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    const load = jest.fn().mockRejectedValue(new Error('404'));
    const registry = { load } as unknown as ISettingRegistry;
    const settings = await loadSettings(registry);
    expect(settings.current).toEqual(DEFAULT_SETTINGS);
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });

  it('should be loaded once for all plugins of a page', async () => {
    const source = new FakeSource();
    const load = jest.fn().mockResolvedValue(source);
    const registry = { load } as unknown as ISettingRegistry;
    const [first, second] = await Promise.all([
      loadSettings(registry),
      loadSettings(registry)
    ]);
    expect(second).toBe(first);
    expect(load).toHaveBeenCalledTimes(1);
  });
});
