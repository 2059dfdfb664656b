/**
 * Bundles what makes the outputs of Google Colab live: one classic script and its
 * styles, which stand in each such output.
 *
 * The result is `frame.js` and `frame.css` in `python_helper/gpu_headroom/frames`,
 * which are generated, not kept in git, and in the wheel only.
 */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import esbuild from 'esbuild';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TARGET = join(ROOT, 'python_helper', 'gpu_headroom', 'frames');

/** Largest size of both together, in bytes of gzip: they are saved with each output. */
const LIMIT = 24_000;

/** What no output may bring along: each stands for all that it would draw in. */
const FORBIDDEN = /node_modules/;

function fail(sentence) {
  process.stderr.write(`frame: ${sentence}\n`);
  process.exit(1);
}

/** Nothing that ends a script or a style within HTML, or a line within a string. */
const escaped = text =>
  text
    .replaceAll('</', '<\\/')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');

async function bundle(entry, options) {
  const { metafile, outputFiles } = await esbuild.build({
    absWorkingDir: ROOT,
    bundle: true,
    charset: 'utf8',
    entryPoints: [entry],
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    // Members that only their class uses: there is no other name for them.
    mangleProps: /^_[a-z]/,
    minify: true,
    target: 'es2020',
    write: false,
    ...options
  });
  const foreign = Object.keys(metafile.inputs).find(name =>
    FORBIDDEN.test(name)
  );
  if (foreign) {
    fail(`${foreign} is not to be in the script of an output.`);
  }
  return escaped(outputFiles[0].text.trim());
}

function write(name, text) {
  const path = join(TARGET, name);
  // An unchanged file keeps its time, so that nothing is built again.
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    // At once: another process may be reading it.
    const written = `${path}.${process.pid}`;
    writeFileSync(written, text);
    renameSync(written, path);
  }
}

const script = await bundle('src/colab/main.ts', { format: 'iife' });
// Of the browsers that have `color-mix`, which the colours are made with.
const style = await bundle('style/colab/index.css', { target: 'chrome111' });
const size = gzipSync(script + style, { level: 9 }).length;
if (size > LIMIT) {
  fail(`it is ${size} bytes of gzip, more than its limit of ${LIMIT}.`);
}
mkdirSync(TARGET, { recursive: true });
write('frame.js', script);
write('frame.css', style);
if (!process.argv.includes('--quiet')) {
  process.stdout.write(
    `frame: script ${script.length} bytes, styles ${style.length}, ${size} of ${LIMIT} of gzip at most\n`
  );
}
