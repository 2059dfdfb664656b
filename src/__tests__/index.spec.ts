import plugins from '..';

describe('the extension', () => {
  it('should give every plugin a unique id', () => {
    const ids = plugins.map(plugin => plugin.id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
