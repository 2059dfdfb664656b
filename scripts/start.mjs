/**
 * Says how much of the labextension a page loads at its start, script and styles, in
 * bytes of gzip, and fails above the limit: what no page needs before its first click
 * or its first failure is imported then.
 *
 * A bundle of esbuild stands for JupyterLab's own, which takes half a minute;
 * `make benchmarks` measures that in a page.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import esbuild from 'esbuild';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const LIMIT = 50_000;

/** What a page has already. */
const SHARED = ['@jupyterlab/*', '@lumino/*', 'react', 'react-dom', 'react/*'];

const { metafile, outputFiles } = await esbuild.build({
  absWorkingDir: ROOT,
  bundle: true,
  entryPoints: { script: 'src/index.ts', style: 'style/index.css' },
  external: [...SHARED, 'react-dom/*'],
  format: 'esm',
  loader: { '.svg': 'text' },
  logLevel: 'warning',
  metafile: true,
  minify: true,
  outdir: 'start',
  splitting: true,
  write: false
});

/** The outputs that are loaded with these, these included. */
function withImports(names) {
  const found = new Set(names);
  for (const name of found) {
    for (const { kind, path, external } of metafile.outputs[name].imports) {
      if (kind === 'import-statement' && !external) {
        found.add(path);
      }
    }
  }
  return found;
}

let bytes = 0;
for (const name of withImports(['start/script.js', 'start/style.css'])) {
  const output = outputFiles.find(({ path }) => path === join(ROOT, name));
  bytes += gzipSync(output.contents, { level: 9 }).length;
}
process.stdout.write(
  `start: script and styles, ${bytes} of ${LIMIT} of gzip at most\n`
);
if (bytes > LIMIT) {
  process.exit(1);
}
