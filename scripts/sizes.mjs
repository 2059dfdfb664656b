/**
 * Prints how many lines each folder of both halves has, without tests and without what
 * programs write (`generated/`), and fails where a sum is above its budget. A sum is
 * never raised: whoever needs lines takes them from elsewhere.
 *
 * The limit of the pack is in `pack.mjs`, that of the scripts of outputs in `frame.mjs`,
 * that of a page's start in `start.mjs`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const read = name => readFileSync(join(ROOT, name), 'utf8');
const named = (name, pattern) =>
  [...read(name).matchAll(pattern)].map(([, folder]) => folder);

const BUDGETS = [
  {
    root: 'src',
    lines: 22_880,
    coreLines: 14_530,
    wings: ['outputs', ...named('src/wings.ts', /'\.\/(\w+)\//g)]
  },
  {
    root: 'python_helper/gpu_headroom',
    lines: 35_830,
    coreLines: 27_480,
    wings: named('python_helper/gpu_headroom/wings.py', /"\.(\w+)\./g)
  },
  { root: 'python_helper/gpu_dry_run', lines: 3_825 },
  { root: 'python_helper/gpu_simulator', lines: 6_255 }
];

/** Lines of each folder right below a root; '.' are the files beside them. */
function linesOf(root) {
  const sizes = {};
  const files = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', root],
    { cwd: ROOT, encoding: 'utf8' }
  )
    .split('\n')
    .filter(
      name =>
        /\.(?:tsx?|py)$/.test(name) && !/\/(?:__tests__|generated)\//.test(name)
    );
  for (const file of files) {
    const [folder, ...rest] = file.slice(root.length + 1).split('/');
    const name = rest.length > 0 ? folder : '.';
    let text;
    try {
      text = read(file);
    } catch {
      continue; // It was removed, and that is not committed yet.
    }
    sizes[name] = (sizes[name] ?? 0) + text.split('\n').length - 1;
  }
  return sizes;
}

const problems = [];

/** Print a sum beside its budget. */
function check(what, lines, budget) {
  process.stdout.write(`${what}: ${lines} lines of ${budget}\n`);
  if (lines > budget) {
    problems.push(`${what} has ${lines} lines, budget ${budget}.`);
  }
}

for (const { root, lines, coreLines, wings = [] } of BUDGETS) {
  const sizes = linesOf(root);
  const sum = names => names.reduce((all, name) => all + sizes[name], 0);
  const folders = Object.keys(sizes).sort();
  check(root, sum(folders), lines);
  if (coreLines) {
    const core = folders.filter(name => !wings.includes(name));
    check(`${root}, core`, sum(core), coreLines);
  }
  for (const name of folders) {
    const kind = wings.includes(name) ? ' (wing)' : '';
    process.stdout.write(
      `  ${name.padEnd(14)} ${String(sizes[name]).padStart(6)}${kind}\n`
    );
  }
}
for (const script of ['pack.mjs', 'frame.mjs', 'start.mjs']) {
  process.stdout.write(
    execFileSync('node', [join(ROOT, 'scripts', script)], { encoding: 'utf8' })
  );
}
if (problems.length > 0) {
  process.stderr.write(problems.map(each => `sizes: ${each}\n`).join(''));
  process.exit(1);
}
