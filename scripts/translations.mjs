/**
 * Collects every sentence that a person may read, for translators.
 *
 * Of the helper these are the templates of its catalogue, which travel with each
 * message; of the front end what stands in `trans.__('…')` and its kin. The
 * result is `translations/gpu_headroom.pot`, or the file that is named: the
 * domain as JupyterLab and its language packs spell it. It is not kept in git.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GettextExtractor, JsExtractors } from 'gettext-extractor';
import ts from 'typescript';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TARGET = resolve(process.argv[2] ?? 'translations/gpu_headroom.pot');
const PYTHON = process.env.PYTHON ?? 'python3';

/** Where each of gettext's functions has its texts. */
const ARGUMENTS = {
  __: { text: 0 },
  _n: { text: 0, textPlural: 1 },
  _p: { context: 0, text: 1 },
  _np: { context: 0, text: 1, textPlural: 2 }
};

/** The one call whose text is no literal: it looks the helper's templates up. */
const LOOKS_UP = 'src/text/messages.ts';

// References in the result are paths from here.
process.chdir(ROOT);

const problems = [];

/** Reads calls of these functions, of whatever object: `words.trans.__` as well. */
function readCall(node, file, add, start) {
  const callee = ts.isCallExpression(node) ? node.expression : null;
  if (
    callee === null ||
    !ts.isPropertyAccessExpression(callee) ||
    !Object.hasOwn(ARGUMENTS, callee.name.text)
  ) {
    return;
  }
  let isRead = false;
  const read = JsExtractors.callExpression(callee.getText(file), {
    arguments: ARGUMENTS[callee.name.text]
  });
  read(
    node,
    file,
    message => {
      isRead = true;
      add(message);
    },
    start
  );
  if (!isRead && file.fileName !== LOOKS_UP) {
    const call = node.getText(file);
    problems.push(`${file.fileName}: ${call} has no literal to translate.`);
  }
}

const extractor = new GettextExtractor();
extractor.createJsParser([readCall]).parseFilesGlob('src/**/*.{ts,tsx}', {
  ignore: ['**/__tests__/**', 'src/kernel/pack.ts']
});
for (const sentence of JSON.parse(
  execFileSync(PYTHON, ['scripts/sentences.py'], { encoding: 'utf8' })
)) {
  extractor.addMessage(sentence);
}
if (problems.length > 0) {
  process.stderr.write(
    problems.map(each => `translations: ${each}\n`).join('')
  );
  process.exit(1);
}
mkdirSync(dirname(TARGET), { recursive: true });
extractor.savePotFile(TARGET, {
  'Project-Id-Version': 'gpu-headroom',
  'Content-Type': 'text/plain; charset=UTF-8'
});
process.stdout.write(
  `translations: ${extractor.getMessages().length} sentences\n`
);
