/**
 * Packs the Python helper for injection into kernels.
 *
 * `scripts/minify.py` makes the pack of the modules, minified. `bootstrap.py`, which unpacks it,
 * travels without its comments. The result is `src/kernel/pack.ts`, which is
 * generated and not kept in git; it says what it was made from, and is not made
 * again where that is the same.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
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

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const HELPER = join(ROOT, 'python_helper', 'gpu_headroom');
/** The packages beside it, for dry runs. */
const BESIDE = ['gpu_dry_run', 'gpu_simulator'];
const TARGET = join(ROOT, 'src', 'kernel', 'pack.ts');

/** Largest size of the pack on the wire, in bytes; to come down to 165,000, and never up again. */
const LIMIT = 184_500;

/** The same of the pack for dry runs. */
const DRY_RUN_LIMIT = 74_000;

/** Modules and folders of the wheel that no kernel needs from a page. */
const WHEEL_ONLY = [
  '__main__.py',
  'cells/helper.py',
  'frames/',
  'gpu_dry_run/command.py',
  'holders/visit.py',
  'kernel/bootstrap.py',
  'protocol/generated/wire.py',
  'terminal/explain.py',
  'terminal/run.py',
  'terminal/script.py',
  'testing.py',
  'workers/arrival.py',
  'workers/own_rank.py'
];

/** Modules for what runs elsewhere: a pack of their own, which a page brings on first need. */
const FOR_WORKERS = [
  'holders/no_shell.py',
  'text/counted.py',
  'workers/arriving.py',
  'workers/aside.py',
  'workers/asked.py',
  'workers/beside.py',
  'workers/console.py',
  'workers/dask.py',
  'workers/dask_plugin.py',
  'workers/engine_side.py',
  'workers/ipyparallel.py',
  'workers/ray.py',
  'workers/ray_box.py',
  'workers/ray_side.py',
  'workers/requests.py',
  'workers/travel.py',
  'workers/words.py'
];

/** What a dry run is made of, what saves a training, and what running again costs: likewise. */
const FOR_DRY_RUNS = [
  ...BESIDE.map(name => `${name}/`),
  'rerun/code.py',
  'rerun/wing.py',
  'rescue/checkpoint.py',
  'rescue/resume.py',
  'rescue/wing.py'
];

/** Modules whose docstrings are the help that a person asks for: they travel. */
const DOCUMENTED = ['__init__.py', 'terminal/magics.py'];

const read = path => readFileSync(path, 'utf8');
const readHelper = name => read(join(HELPER, name));

function fail(sentence) {
  process.stderr.write(`pack: ${sentence}\n`);
  process.exit(1);
}

/** The paths of the modules below a folder. */
const listModules = folder =>
  readdirSync(folder, { recursive: true })
    .map(file => file.replaceAll(sep, '/'))
    .filter(file => file.endsWith('.py'))
    .sort();

/** The modules that travel, by path: of a package beside the helper with its name. */
const readModules = () =>
  Object.fromEntries(
    [
      ...listModules(HELPER).map(path => [path, readHelper(path)]),
      ...BESIDE.flatMap(name => {
        const folder = join(ROOT, 'python_helper', name);
        return listModules(folder).map(path => [
          `${name}/${path}`,
          read(join(folder, path))
        ]);
      })
    ].filter(([path]) => !WHEEL_ONLY.some(only => path.startsWith(only)))
  );

function protocolVersion() {
  const found = /^PROTOCOL_VERSION\b[^=\n]*=\s*"([0-9]+\.[0-9]+)"/m.exec(
    readHelper('protocol/checking.py')
  );
  return (
    found?.[1] ??
    fail(
      'python_helper/gpu_headroom/protocol/checking.py sets no PROTOCOL_VERSION.'
    )
  );
}

/** What makes the pack: where nothing of it has changed, neither has the pack. */
const MADE_BY = [
  'scripts/comprehensions.py',
  'scripts/minify.py',
  'scripts/pack.mjs',
  'package.json'
];

/** Where a Python with `python-minifier` may be: the first that has it is asked. */
const PYTHONS = [
  process.env.PYTHON,
  'python3',
  'python',
  join(ROOT, '.venvs', 'build', 'bin', 'python')
];

/** Its exit status where it lacks `python-minifier`. */
const LACKS_IT = 3;

/** The pack of modules, as text; `scripts/minify.py` says how. */
function pack(modules) {
  for (const python of PYTHONS.filter(Boolean)) {
    const { status, stdout, stderr } = spawnSync(
      python,
      ['-m', 'scripts.minify'],
      {
        cwd: ROOT,
        input: JSON.stringify(modules),
        encoding: 'utf8',
        maxBuffer: 2 ** 27
      }
    );
    if (status === 0) {
      return stdout;
    }
    if (status !== null && status !== LACKS_IT) {
      fail(`${python} could not pack the helper:\n${stderr}`);
    }
  }
  return fail(
    'no Python with python-minifier was found: requirements/build.txt has it (PYTHON=…).'
  );
}

/** Python that travels as it is, but for what only its readers need. */
const readCode = name =>
  readHelper(name)
    .replace(/^\s*#.*\n/gm, '')
    .replace(/ {2}# .*$/gm, '');

/** What takes a pack up, which each of them has. */
const TAKES_UP = 'kernel/injection.py';

/** Which pack a module is in. */
const packOf = path =>
  FOR_WORKERS.includes(path)
    ? 'WORKERS_PACK'
    : FOR_DRY_RUNS.some(only => path.startsWith(only))
      ? 'DRY_RUN_PACK'
      : 'PACK';

/** One of the packs. */
const packed = (sources, which) =>
  pack(
    Object.entries(sources)
      .filter(([path]) => path === TAKES_UP || packOf(path) === which)
      .map(([path, source]) => [path, source, DOCUMENTED.includes(path)])
  );

/** The text of `src/kernel/pack.ts`, made from these modules. */
function make(sources, made) {
  const first = packed(sources, 'PACK');
  if (first.length > LIMIT) {
    fail(`it is ${first.length} bytes, more than its limit of ${LIMIT}.`);
  }
  const forDryRuns = packed(sources, 'DRY_RUN_PACK');
  if (forDryRuns.length > DRY_RUN_LIMIT) {
    fail(`that for dry runs is ${forDryRuns.length} bytes.`);
  }
  const { version } = JSON.parse(read(join(ROOT, 'package.json')));
  return `// Generated by scripts/pack.mjs from python_helper/gpu_headroom.
${made}

/** Python to execute in a kernel without helper: \`kernel/bootstrap.py\` says how. */
export const BOOTSTRAP: string = ${JSON.stringify(readCode('kernel/bootstrap.py'))};
export const HELPER_VERSION: string = '${version}';
export const PROTOCOL_VERSION: string = '${protocolVersion()}';
export const PACK: string =
  '${first}';
/** What is for workers besides. */
export const WORKERS_PACK: string =
  '${packed(sources, 'WORKERS_PACK')}';
/** What is for dry runs besides, the simulated GPU with it. */
export const DRY_RUN_PACK: string =
  '${forDryRuns}';
`;
}

/** How long a pack is in a text of `make`. */
const lengthOf = (text, name) =>
  new RegExp(`^export const ${name}: string =\\n {2}'([^']*)';$`, 'm').exec(
    text
  )[1].length;

const sources = readModules();
const hash = createHash('sha256').update(JSON.stringify(sources));
hash.update(readHelper('kernel/bootstrap.py'));
for (const file of MADE_BY) {
  hash.update(read(join(ROOT, file)));
}
const made = `// Of ${hash.digest('hex')}`;
let text = existsSync(TARGET) ? read(TARGET) : '';
// An unchanged file keeps its time, so that nothing is compiled again.
if (text.split('\n', 2)[1] !== made) {
  text = make(sources, made);
  mkdirSync(dirname(TARGET), { recursive: true });
  // At once: another process may be reading it.
  const written = `${TARGET}.${process.pid}`;
  writeFileSync(written, text);
  renameSync(written, TARGET);
}
if (!process.argv.includes('--quiet')) {
  process.stdout.write(
    `pack: ${Object.keys(sources).length} modules, ` +
      `${lengthOf(text, 'PACK')} packed of ${LIMIT} at most, ` +
      `${lengthOf(text, 'WORKERS_PACK')} for workers, and ` +
      `${lengthOf(text, 'DRY_RUN_PACK')} of ${DRY_RUN_LIMIT} for dry runs\n`
  );
}
