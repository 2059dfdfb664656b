import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const STYLE = join(__dirname, '..', '..', 'style');

function imported(list: string): string[] {
  const text = readFileSync(join(STYLE, list), 'utf8');
  return [...text.matchAll(/'(?:\.\/)?([\w/]+\.css)'/g)].map(
    ([, name]) => name ?? ''
  );
}

describe('style', () => {
  it('should name every component in both lists, in the same order', () => {
    const files = readdirSync(STYLE, { recursive: true }).map(String);
    const components = files.filter(
      // Those of outputs elsewhere are none of JupyterLab's.
      name => /^(?!outputs\/|index\.css).*\.css$/.test(name)
    );
    expect(imported('index.js')).toEqual(imported('index.css'));
    expect(imported('index.css').sort()).toEqual(components.sort());
  });

  it('should leave it to the language where a line begins', () => {
    const physical =
      /(?:^|[\s;{])(?:(?:margin|padding|border)-(?:left|right)\b|(?:left|right):)|text-align: (?:left|right)/;
    const files = readdirSync(STYLE, { recursive: true }).map(String);
    const faults = files.filter(
      name =>
        name.endsWith('.css') &&
        physical.test(readFileSync(join(STYLE, name), 'utf8'))
    );
    expect(faults).toEqual([]);
  });
});
