/**
 * Bundles what makes the outputs of Google Colab live: for the gauge and for the report one
 * classic script each, with its styles, and a small one that requests the report's.
 *
 * The results are `gauge.js`, `gauge.css`, `report.js`, `report.css` and `loader.js` in
 * `python_helper/gpu_headroom/frames`, and the license of the one package in them. They are
 * generated, not kept in git, and in the wheel only.
 */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import esbuild from 'esbuild';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TARGET = join(ROOT, 'python_helper', 'gpu_headroom', 'frames');
const PACKAGE = join(ROOT, 'node_modules', 'preact');

/** Largest size of a script with its styles, in bytes of gzip. */
const LIMIT = 25_000;

/** An output speaks English only: what would translate the helper's sentences is left out. */
const ENGLISH = {
  name: 'english',
  setup({ onResolve }) {
    const path = join(ROOT, 'src', 'outputs', 'translation.ts');
    onResolve({ filter: /\/text\/messages$/ }, () => ({ path }));
  }
};

function fail(sentence) {
  process.stderr.write(`frame: ${sentence}\n`);
  process.exit(1);
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

/** The license of the package, as JupyterLab's builder lists those of the labextension. */
function license() {
  const read = name => readFileSync(join(PACKAGE, name), 'utf8');
  const {
    name,
    version,
    license: licenseId
  } = JSON.parse(read('package.json'));
  const extractedText = read('LICENSE');
  const listed = { name, versionInfo: version, licenseId, extractedText };
  return `${JSON.stringify({ packages: [listed] }, null, 2)}\n`;
}

// A build without live outputs shows them as they are saved.
if (existsSync(join(ROOT, 'src', 'outputs'))) {
  const { metafile, outputFiles } = await esbuild.build({
    absWorkingDir: ROOT,
    alias: { react: 'preact' },
    bundle: true,
    charset: 'utf8',
    entryPoints: [
      { in: 'src/outputs/loader.ts', out: 'loader' },
      ...['gauge', 'report'].flatMap(kind => [
        { in: `src/outputs/${kind}output.ts`, out: kind },
        { in: `style/outputs/${kind}output.css`, out: kind }
      ])
    ],
    format: 'iife',
    legalComments: 'inline',
    logLevel: 'warning',
    logOverride: { 'import-is-undefined': 'error' },
    metafile: true,
    minify: true,
    outdir: TARGET,
    plugins: [ENGLISH],
    // Of the browsers that have `color-mix`, which the colors are made with.
    target: ['es2020', 'chrome111'],
    write: false
  });
  const foreign = Object.keys(metafile.inputs).find(name =>
    /node_modules\/(?!preact\/)/.test(name)
  );
  if (foreign) {
    fail(`${foreign} would be in each output.`);
  }
  mkdirSync(TARGET, { recursive: true });
  write('third-party-licenses.json', license());
  for (const kind of ['gauge', 'report', 'loader']) {
    const files = outputFiles.filter(({ path }) =>
      basename(path).startsWith(`${kind}.`)
    );
    const text = files.map(file => file.text).join('');
    const size = gzipSync(text, { level: 9 }).length;
    if (size > LIMIT) {
      fail(`the ${kind} is ${size} bytes of gzip, of ${LIMIT} at most.`);
    }
    files.forEach(file => write(basename(file.path), file.text));
    if (!process.argv.includes('--quiet')) {
      process.stdout.write(
        `frame: ${kind}, ${text.length} bytes, ${size} of ${LIMIT} of gzip at most\n`
      );
    }
  }
}
