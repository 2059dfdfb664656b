/**
 * Bundles what makes the outputs of Google Colab live: for the gauge and for the card
 * one classic script each, with its styles, which stand in each such output.
 *
 * The results are `gauge.js`, `gauge.css`, `card.js` and `card.css` in
 * `python_helper/gpu_headroom/frames`, which are generated, not kept in git, and in the
 * wheel only.
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
import postcss from 'postcss';
import { minify } from 'terser';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TARGET = join(ROOT, 'python_helper', 'gpu_headroom', 'frames');

/** Largest size of a script with its styles, in bytes of gzip: an output is saved with it. */
const LIMIT = 18 * 1024;

function fail(sentence) {
  process.stderr.write(`frame: ${sentence}\n`);
  process.exit(1);
}

/** An output speaks English only: what would translate the helper's sentences is left out. */
const ENGLISH = {
  name: 'english',
  setup({ onResolve }) {
    const path = join(ROOT, 'src', 'outputs', 'translation.ts');
    onResolve({ filter: /\/text\/messages$/ }, () => ({ path }));
  }
};

async function bundle(entry, target) {
  const { metafile, outputFiles } = await esbuild.build({
    absWorkingDir: ROOT,
    // An output draws its components itself.
    alias: { react: './src/outputs/view.ts' },
    bundle: true,
    charset: 'utf8',
    entryPoints: [entry],
    format: 'iife',
    legalComments: 'none',
    logLevel: 'warning',
    logOverride: { 'import-is-undefined': 'error' },
    // Members of a class that nobody else knows.
    mangleProps: /^_[a-z]/,
    metafile: true,
    // Of a script `smaller` makes the rest, and better so than twice.
    minifyWhitespace: true,
    plugins: [ENGLISH],
    target,
    write: false
  });
  const foreign = Object.keys(metafile.inputs).find(name =>
    name.includes('node_modules')
  );
  if (foreign) {
    fail(`${foreign} would be in each output.`);
  }
  return outputFiles[0].text.trim();
}

/** A twentieth smaller than esbuild alone makes it. */
async function smaller(script) {
  const { code } = await minify(script, {
    compress: {
      hoist_funs: true,
      // gzip finds more that is alike in calls that stay, and in comparisons as they are.
      inline: 1,
      lhs_constants: false,
      passes: 3,
      pure_getters: true,
      unsafe_arrows: true,
      unsafe_methods: true
    },
    ecma: 2020,
    // An output is saved as JSON, where each double quote is two characters.
    format: { quote_style: 1 }
  });
  return code;
}

/** Nothing that ends a script or a style within HTML, or a line within a string. */
const escaped = text =>
  text
    .replaceAll('</', '<\\/')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');

/** The rules of a style sheet that are about what a script makes, and the values they use. */
function used(style, script) {
  const root = postcss.parse(style);
  const words = new Set(script.match(/[\w-]+/g));
  const isSaid = name =>
    words.has(name) ||
    // What the name of a kind of memory makes, or of an icon.
    words.has(name.replace('jp-mod-', '').replaceAll('-', '_'));
  const isAllSaid = selector =>
    [...selector.matchAll(/\.([\w-]+)/g)].every(([, name]) => isSaid(name));
  const pruned = selector =>
    selector
      .replace(
        /:is\(([^()]*)\)/g,
        (all, list) => `:is(${list.split(',').filter(isAllSaid).join()})`
      )
      .replace(/:is\(([^(),]+)\)/g, '$1');
  const isMade = selector =>
    !/^body|:is\(\)/.test(selector) && isAllSaid(selector);
  root.walkRules(rule => {
    rule.selectors = rule.selectors.map(pruned).filter(isMade);
    if (rule.selector === '') {
      rule.remove();
    }
  });
  root.walkAtRules(rule => {
    if (rule.nodes?.length === 0) {
      rule.remove();
    }
  });
  const text = root.toString();
  root.walkDecls(/^--/, declaration => {
    if (!text.includes(`var(${declaration.prop}`)) {
      declaration.remove();
    }
  });
  return root.toString();
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

mkdirSync(TARGET, { recursive: true });
for (const kind of ['gauge', 'card']) {
  const script = await smaller(
    await bundle(`src/outputs/${kind}output.ts`, 'es2020')
  );
  // Of the browsers that have `color-mix`, which the colours are made with.
  const style = await bundle(`style/outputs/${kind}output.css`, 'chrome111');
  const files = [script, used(style, script)].map(escaped);
  const size = gzipSync(files.join(''), { level: 9 }).length;
  if (size > LIMIT) {
    fail(
      `the ${kind} is ${size} bytes of gzip, more than the limit of ${LIMIT}.`
    );
  }
  write(`${kind}.js`, files[0]);
  write(`${kind}.css`, files[1]);
  if (!process.argv.includes('--quiet')) {
    const sizes = files.map(({ length }) => length).join(' and ');
    process.stdout.write(
      `frame: ${kind}, ${sizes} bytes, ${size} of ${LIMIT} of gzip at most\n`
    );
  }
}
