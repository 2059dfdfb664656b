import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const SRC = join(__dirname, '..');
const IMPORT = /(?:from|import\()\s*'(\.[^']*)'/g;

const files = readdirSync(SRC, { recursive: true })
  .map(String)
  .filter(name => /\.tsx?$/.test(name) && !name.includes('__tests__'));

/** The project's own files that a file imports, for types or values. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  return [...text.matchAll(IMPORT)].flatMap(([, name = '']) => {
    const path = join(SRC, dirname(file), name);
    return ['.ts', '.tsx', '/index.ts']
      .map(ending => path + ending)
      .filter(existsSync)
      .map(found => relative(SRC, found));
  });
}

/** Files left after repeatedly removing those that import none of the remaining ones. */
function inCircles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Set(imports.keys());
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const file of left) {
      if (!imports.get(file)?.some(name => left.has(name))) {
        left.delete(file);
      }
    }
  }
  return [...left];
}

describe('src', () => {
  it('should have no files that import each other in a circle, by type or value', () => {
    const imports = new Map(files.map(file => [file, importsOf(file)]));
    expect([...imports.values()].flat().length).toBeGreaterThan(500);
    expect(inCircles(imports)).toEqual([]);
  });
});
