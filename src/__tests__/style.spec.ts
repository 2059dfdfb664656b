import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SRC = join(__dirname, '..');
const STYLE = join(__dirname, '..', '..', 'style');

function imported(list: string): string[] {
  const text = readFileSync(join(STYLE, list), 'utf8');
  return [...text.matchAll(/'(?:\.\/)?([\w/]+\.css)'/g)].map(
    ([, name]) => name ?? ''
  );
}

function sources(): string[] {
  return readdirSync(SRC, { recursive: true })
    .map(String)
    .filter(name => /^(?!.*__tests__).*\.tsx?$/.test(name))
    .map(name => readFileSync(join(SRC, name), 'utf8'));
}

describe('style', () => {
  it('should name what a page loads at its start in two lists, in one order', () => {
    expect(imported('index.js')).toEqual(imported('index.css'));
  });

  it('should load every file: at the start, or with what it is of', () => {
    const files = readdirSync(STYLE, { recursive: true }).map(String);
    const components = files.filter(
      // Styles of outputs on other pages are not part of JupyterLab's.
      name => /^(?!outputs\/|index\.css).*\.css$/.test(name)
    );
    const later = sources().flatMap(source =>
      [...source.matchAll(/'\.\.\/\.\.\/style\/([\w/]+\.css)'/g)].map(
        ([, name]) => name ?? ''
      )
    );
    const loaded = new Set([...imported('index.css'), ...later]);
    expect([...loaded].sort()).toEqual(components.sort());
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
