/**
 * What a process printed of its failure, as far as the helper has to know it.
 */

/** The words of an error of a GPU that is full: whether it is one the helper tells. */
const SIGN =
  /out of memory|OutOfMemory|OUT_OF_MEMORY|RESOURCE_EXHAUSTED|ALLOC_FAILED|to allocate|OOM when/i;
/** The last line of a traceback, perhaps behind a prefix of a log or a launcher. */
const ERROR =
  /(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception|OutOfMemory)\w*: .*/;
const STEP = /File "[^"]+", line \d+, in \S+/;
/** What PyTorch puts before each line of a rank, and what its launcher's summary names. */
const RANK = /^\[rank\d+\]:/;
const SUMMARY = /^\s*(?:host|rank|exitcode) +: /;
const BEGIN = 'Traceback (most recent call last)';
// Python 3.13 colours what it takes for a terminal's.
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*[A-Za-z]`, 'g');

/** Lines of a message, and characters of each part: what a request may say is less. */
const MAX_LINES = 8;
const MAX_LENGTH = 8000;
/** Lines behind the error: summaries of launchers. With more the program went on. */
const MAX_BEHIND = 100;

/**
 * An error that was printed: with the name of its class, and its steps outermost
 * first, before which its rank is named if it has one.
 */
export interface IPrintedError {
  readonly message: string;
  readonly traceback: string;
}

/**
 * The last error of a GPU that is full in a text, if there is any.
 */
export function printedError(text: string): IPrintedError | null {
  if (!SIGN.test(text)) {
    return null;
  }
  const lines = text.replace(COLOURS, '').split(/\r?\n/);
  const at = lastIndex(lines, line => SIGN.test(ERROR.exec(line)?.[0] ?? ''));
  if (at < 0 || lines.length - at > MAX_BEHIND) {
    return null;
  }
  const [first = ''] = ERROR.exec(lines[at] ?? '') ?? [];
  const behind = lines.slice(at + 1, at + MAX_LINES);
  const end = behind.findIndex(line => line === '' || line.includes(BEGIN));
  const rest = end < 0 ? behind : behind.slice(0, end);
  const above = lines.slice(0, at);
  const begin = lastIndex(above, line => line.includes(BEGIN));
  const steps = above
    .slice(Math.max(begin, 0))
    .flatMap(line => STEP.exec(line) ?? []);
  return {
    message: [first, ...rest].join('\n').slice(0, MAX_LENGTH),
    traceback: [...whose(lines.slice(at)), ...steps]
      .join('\n')
      .slice(0, MAX_LENGTH)
  };
}

/** What names the rank of an error: its own line, else the summary behind. */
function whose([line = '', ...behind]: readonly string[]): string[] {
  return RANK.exec(line) ?? behind.filter(each => SUMMARY.test(each));
}

function lastIndex(
  lines: readonly string[],
  test: (line: string) => boolean
): number {
  for (let index = lines.length - 1; index >= 0; index--) {
    if (test(lines[index] ?? '')) {
      return index;
    }
  }
  return -1;
}
