/**
 * Prints how large each folder of both halves is, in lines without tests and without
 * what programs write (`generated/`), and fails
 * where one, or what is made of them, has grown beyond its budget in `sizes.json`.
 * The budgets of a wing add up to its sum, which is a constant: a folder that needs
 * more takes it from another one.
 *
 * The pack's own limit stands in `pack.mjs`, that of the scripts of outputs in
 * `frame.mjs`, that of a page's start in `start.mjs`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BUDGETS = JSON.parse(
  readFileSync(join(ROOT, 'scripts', 'sizes.json'), 'utf8')
);

/** Lines of each folder right below a wing; '.' are the files beside them. */
function linesOf(wing) {
  const sizes = {};
  const files = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', wing],
    { cwd: ROOT, encoding: 'utf8' }
  )
    .split('\n')
    .filter(
      name =>
        /\.(?:tsx?|py)$/.test(name) && !/\/(?:__tests__|generated)\//.test(name)
    );
  for (const file of files) {
    const [folder, ...rest] = file.slice(wing.length + 1).split('/');
    const name = rest.length > 0 ? folder : '.';
    let text;
    try {
      text = readFileSync(join(ROOT, file), 'utf8');
    } catch {
      continue; // It was removed, and that is not committed yet.
    }
    sizes[name] = (sizes[name] ?? 0) + text.split('\n').length - 1;
  }
  return sizes;
}

/** The sums that `sizes.json` may not go beyond: lowered with it, never raised. */
const MOST = {
  src: 24353,
  'python_helper/gpu_dry_run': 4201,
  'python_helper/gpu_headroom': 36014,
  'python_helper/gpu_simulator': 6259
};

const problems = [];

for (const [wing, { sum: most, ...budgets }] of Object.entries(BUDGETS)) {
  const given = Object.values(budgets).reduce((all, lines) => all + lines, 0);
  if (given !== most) {
    problems.push(
      `${wing}: its budgets add up to ${given}, its sum is ${most}.`
    );
  }
  if (!(most <= MOST[wing])) {
    problems.push(
      `${wing}: its sum was raised to ${most}, from ${MOST[wing]}.`
    );
  }
  const sizes = linesOf(wing);
  const sum = Object.values(sizes).reduce((all, lines) => all + lines, 0);
  process.stdout.write(`${wing}: ${sum} lines\n`);
  for (const name of Object.keys({ ...budgets, ...sizes }).sort()) {
    const [lines, budget] = [sizes[name] ?? 0, budgets[name]];
    process.stdout.write(
      `  ${name.padEnd(14)} ${String(lines).padStart(6)} of ${budget ?? 'none'}\n`
    );
    if (budget === undefined) {
      problems.push(`${wing}/${name} has no budget in scripts/sizes.json.`);
    } else if (lines > budget) {
      problems.push(`${wing}/${name} has ${lines} lines, budget ${budget}.`);
    } else if (lines === 0) {
      problems.push(`${wing}/${name} is no more: its budget can go.`);
    }
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
