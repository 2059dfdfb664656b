import { Registry } from '../registry';

describe('Registry', () => {
  let registry: Registry<string>;
  let loaded: string[];

  const part = (name: string) => (): Promise<string> => {
    loaded.push(name);
    return Promise.resolve(name);
  };

  beforeEach(() => {
    registry = new Registry();
    loaded = [];
  });

  it('should load nothing before it is needed, and then each part once', async () => {
    registry.add(part('one'));
    expect(loaded).toEqual([]);
    await Promise.all([registry.load(), registry.load()]);
    await registry.load();
    expect(loaded).toEqual(['one']);
    expect(registry.all).toEqual(['one']);
  });

  it('should load what is added later, and emit a change', async () => {
    const changed = jest.fn();
    await registry.load();
    registry.changed.connect(changed);
    const added = registry.add(part('one'));
    await registry.load();
    expect(registry.all).toEqual(['one']);
    expect(changed).toHaveBeenCalled();
    added.dispose();
    expect(registry.all).toEqual([]);
  });

  it('should skip what cannot be loaded, and try again later', async () => {
    const warn = jest.spyOn(console, 'warn').mockReturnValue();
    let isThere = false;
    registry.add(() => (isThere ? part('one')() : Promise.reject(new Error())));
    registry.add(part('two'));
    await registry.load();
    expect(registry.all).toEqual(['two']);
    isThere = true;
    await registry.load();
    expect(registry.all).toEqual(['one', 'two']);
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });
});
