/**
 * Packs the Python helper for injection into kernels.
 *
 * The pack travels as base85 of zlib of all modules, one after the other with a NUL
 * between them: the path, a line break, the source. Zopfli makes it a twentieth
 * smaller than zlib itself would. `bootstrap.py`, which unpacks it there, and
 * `plain_release.py` travel as they are. The result is `src/kernel/pack.ts`, which is
 * generated and not kept in git.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import zopfli from '@gfx/zopfli';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const HELPER = join(ROOT, 'python_helper', 'gpu_headroom');
const TARGET = join(ROOT, 'src', 'kernel', 'pack.ts');

/** Largest size of the pack on the wire, in bytes (base85): grown on purpose only. */
const LIMIT = 226_000;

/** Modules and folders of the wheel that no kernel needs from a page. */
const WHEEL_ONLY = [
  '__main__.py',
  'errors/pasted.py',
  'frames/',
  'kernel/bootstrap.py',
  'kernel/plain_release.py',
  'protocol/wire.py',
  'simulate/',
  'terminal/explain.py',
  'terminal/gauge.py',
  'terminal/script.py',
  'testing.py'
];

/** Modules whose docstrings are the help that a person asks for. */
const DOCUMENTED = ['__init__.py', 'terminal/magics.py'];

const read = path => readFileSync(path, 'utf8');
const readHelper = name => read(join(HELPER, name));

function fail(sentence) {
  process.stderr.write(`pack: ${sentence}\n`);
  process.exit(1);
}

/** The paths of the modules that travel. */
const listModules = () =>
  readdirSync(HELPER, { recursive: true })
    .map(file => file.replaceAll(sep, '/'))
    .filter(file => file.endsWith('.py'))
    .filter(file => !WHEEL_ONLY.some(only => file.startsWith(only)))
    .sort();

function protocolVersion() {
  const found = /^PROTOCOL_VERSION\b[^=\n]*=\s*"([0-9]+\.[0-9]+)"/m.exec(
    readHelper('protocol/requests.py')
  );
  return (
    found?.[1] ??
    fail(
      'python_helper/gpu_headroom/protocol/requests.py sets no PROTOCOL_VERSION.'
    )
  );
}

/** A comment, or a string with what stands before the docstring of a body, if it has it. */
const PYTHON_TEXT =
  /(#[^\n]*)|(:[ \t]*\n\s*)?("""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')/g;

/** What only a type checker executes: an `if` at the left margin, all that it holds. */
const FOR_TYPES = /^if TYPE_CHECKING:\n(?:(?:[ \t]+[^\n]*)?\n)+/gm;

/** The name by which such an `if` is known, where it stands: nothing else asks for it. */
const IMPORTED_FOR_TYPES =
  /^from typing import TYPE_CHECKING$|^(from typing import )TYPE_CHECKING, /gm;

/** An attribute that is set, with what it is said to be: nobody asks for that later. */
const ATTRIBUTE = /^([ \t]+self\.\w+): [^\n=]+ = /gm;

/** What is left of a docstring, where its body goes on without it. */
const NEEDLESS = /^([ \t]*)""(\n+)(?=\1\S)/gm;

/** As many lines as before, and nothing in them. */
const blank = source => source.replace(/[^\n]+/g, '');

/** What `def` opens, up to the parenthesis of its parameters. */
const DEFINITION = /^[ \t]*(?:async )?def \w+\(/gm;

/** A string, a bracket or a sign that ends or begins an annotation; `->` is one. */
const SIGN = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|->|[()[\]{}:=,]/g;

/** What the parameters and the result of functions are said to be: for types only. */
function withoutAnnotations(source) {
  const parts = [];
  let done = 0;
  for (const { 0: found, index } of source.matchAll(DEFINITION)) {
    let depth = 1;
    let start = null;
    let given = false;
    SIGN.lastIndex = index + found.length;
    for (let sign; (sign = SIGN.exec(source)) !== null; ) {
      const outermost = depth === (start?.depth ?? 1);
      const [text] = sign;
      const ends = start?.sign === ':' ? '=,)'.includes(text) : text === ':';
      if (start !== null && outermost && ends) {
        parts.push(source.slice(done, start.at));
        parts.push(blank(source.slice(start.at, sign.index)));
        done = sign.index;
        start = null;
      }
      if (depth === 0 && text === ':') {
        break;
      }
      if (start === null && depth === 1) {
        given = text === '=' || (given && text !== ',');
        start =
          text === ':' && !given ? { at: sign.index, sign: ':', depth } : null;
      } else if (text === '->') {
        start = { at: sign.index, sign: '->', depth };
      }
      depth += '([{'.includes(text) - ')]}'.includes(text);
    }
  }
  return [...parts, source.slice(done)].join('');
}

/** A string, blanks at the beginning of a line, or a sign with a blank beside it. */
const STRING_OR_BLANK =
  /("""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|^((?: {4})+)| ?([-+*=<>|,:]) ?/gm;

/** No more blanks than Python needs. */
const squeezed = source =>
  source.replace(
    STRING_OR_BLANK,
    (all, string, indent, sign) =>
      string ?? sign ?? ' '.repeat(indent.length / 4)
  );

/**
 * Python source without comments, docstrings, annotations of functions and imports
 * for types, which nobody reads inside a kernel. Lines keep their numbers. What
 * people ask for help about stays whole.
 */
function strip(path, source) {
  if (DOCUMENTED.includes(path)) {
    return source;
  }
  const plain = source
    .replace(PYTHON_TEXT, (all, comment, place, string, at) => {
      if (comment !== undefined) {
        return '';
      }
      const isDocstring = place !== undefined || at === 0;
      return isDocstring && string.startsWith('"""')
        ? `${place ?? ''}""${'\n'.repeat(string.split('\n').length - 1)}`
        : all;
    })
    .replace(FOR_TYPES, blank)
    .replace(IMPORTED_FOR_TYPES, (_, more) => more ?? '')
    .replace(NEEDLESS, '$2')
    .replace(ATTRIBUTE, '$1 = ');
  return squeezed(withoutAnnotations(plain)).replace(/[ \t]+$/gm, '');
}

/** The alphabet of Python's `base64.b85decode`: no quote and no backslash. */
const DIGITS =
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';

/** Bytes as text, five characters for four of them: a sixteenth less than base64. */
function base85(bytes) {
  const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
  let text = '';
  for (let at = 0; at < padded.length; at += 4) {
    let number = padded.readUInt32BE(at);
    let five = '';
    for (let digit = 0; digit < 5; digit++) {
      five = DIGITS[number % 85] + five;
      number = Math.floor(number / 85);
    }
    text += five;
  }
  return text.slice(0, text.length - (padded.length - bytes.length));
}

const modules = listModules();
const raw = modules
  .map(path => `${path}\n${strip(path, readHelper(path))}`)
  .join('\0');
const packed = base85(
  Buffer.from(await zopfli.zlibAsync(Buffer.from(raw), { numiterations: 15 }))
);
if (packed.length > LIMIT) {
  fail(`it is ${packed.length} bytes, more than its limit of ${LIMIT}.`);
}

const { version } = JSON.parse(read(join(ROOT, 'package.json')));
const text = `// Generated by scripts/pack.mjs from python_helper/gpu_headroom.

/** Python to execute in a kernel without helper; its comments say how. */
export const BOOTSTRAP: string = ${JSON.stringify(readHelper('kernel/bootstrap.py'))};

/** Python to execute where there is no helper, to free what can be freed; likewise. */
export const PLAIN_RELEASE: string = ${JSON.stringify(readHelper('kernel/plain_release.py'))};
export const HELPER_VERSION: string = '${version}';
export const PROTOCOL_VERSION: string = '${protocolVersion()}';
export const PACK: string =
  '${packed}';
`;
mkdirSync(dirname(TARGET), { recursive: true });
// An unchanged file keeps its time, so that nothing is compiled again.
if (!existsSync(TARGET) || read(TARGET) !== text) {
  // At once: another process may be reading it.
  const written = `${TARGET}.${process.pid}`;
  writeFileSync(written, text);
  renameSync(written, TARGET);
}
if (!process.argv.includes('--quiet')) {
  process.stdout.write(
    `pack: ${modules.length} modules, ${raw.length} bytes, ${packed.length} packed of ${LIMIT} at most\n`
  );
}
