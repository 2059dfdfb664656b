import type { ICause, IReport } from '../protocol';
import { effectText, givesMemory } from '../report/effect';
import { deviceLabel, title } from '../report/title';
import { listVersions } from '../report/versions';
import { whereItFailed } from '../report/worker';
import { formatBytes } from '../text/format';
import type { IWords } from '../text/messages';
import { nameSize } from '../text/names';
import { namePart } from '../text/parts';
import { plain } from '../text/plain';

/** Number of lines of code before and after the failing one. */
const AROUND = 3;

/** Details that name other processes. */
const OF_OTHERS = new Set(['detail.process', 'detail.program']);

/** Maximum length of a line of code in characters, and maximum number of table rows. */
const MAX_LINE = 300;
const MAX_ROWS = 60;

/**
 * A report as Markdown, for a chat or an issue tracker: measurements, causes, remedies,
 * versions, and the lines around the failing one. Contains no data, and nothing about
 * other processes.
 *
 * @param source - the failed cell as it is now; `null` if unknown
 */
export function markdownOf(
  words: IWords,
  report: IReport,
  source: string | null
): string {
  const { sentence, trans } = words;
  const causeText = ({ claim, evidence }: ICause): string =>
    oneLine(`${sentence(claim)} ${sentence(evidence)}`);
  const remedies = report.remedies.map((remedy, index) => {
    const effect = givesMemory(remedy) ? effectText(trans, remedy) : '';
    const text = [sentence(remedy.title), effect].filter(Boolean).join(': ');
    return `${index + 1}. ${oneLine(text)}`;
  });
  const parts = report.parts.map(({ kind, bytes }) => [
    namePart(kind, trans),
    formatBytes(bytes)
  ]);
  const details = report.details
    .filter(({ label }) => !OF_OTHERS.has(label.id))
    .map(({ label, bytes, source: from }) => [
      sentence(label),
      bytes === null ? nameSize(null, trans) : formatBytes(bytes, 2),
      sentence(from)
    ]);
  const size = trans.__('Size');
  const blocks = [
    `### ${oneLine(plain(title(words, report)))}`,
    oneLine(`${deviceLabel(words, report)}, \`${report.error_name}\``),
    oneLine(whereItFailed(words, report)),
    code(words, report, source),
    table([trans.__('At the moment of failure'), size], parts),
    report.cause === null
      ? trans.__('No single cause stands out.')
      : `**${trans.__('Most likely cause')}**: ${causeText(report.cause)}`,
    list(
      trans.__('Also'),
      report.further_causes.map(cause => `- ${causeText(cause)}`)
    ),
    list(trans.__('What you can do'), remedies),
    table([trans.__('Details'), size, trans.__('Source')], details),
    oneLine(listVersions(report))
  ];
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

function code(
  { trans }: IWords,
  { line }: IReport,
  source: string | null
): string {
  const lines = source?.split('\n') ?? [];
  if (line === null || line < 1 || line > lines.length) {
    return '';
  }
  const first = Math.max(line - 1 - AROUND, 0);
  const shown = lines
    .slice(first, line + AROUND)
    .map((text, index) => numbered(first + index + 1, line, text));
  // The fence must be longer than any run of backticks in the code.
  const ticks = shown.join('').match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...ticks.map(tick => tick.length + 1)));
  const heading = trans.__('The lines around line %1:', String(line));
  return [heading, '', `${fence}python`, ...shown, fence].join('\n');
}

function numbered(at: number, failing: number, text: string): string {
  const mark = at === failing ? '-->' : '   ';
  return `${mark} ${at} ${text.slice(0, MAX_LINE)}`.trimEnd();
}

function list(heading: string, items: readonly string[]): string {
  return items.length > 0 ? `**${heading}**\n\n${items.join('\n')}` : '';
}

function table(
  head: readonly string[],
  rows: readonly (readonly string[])[]
): string {
  if (rows.length === 0) {
    return '';
  }
  const line = (cells: readonly string[]): string =>
    `| ${cells.map(cell => oneLine(cell).replace(/\|/g, '\\|')).join(' | ')} |`;
  const rule = head.map((_, index) => (index === 1 ? '---:' : '---'));
  return [
    line(head),
    `| ${rule.join(' | ')} |`,
    ...rows.slice(0, MAX_ROWS).map(line)
  ].join('\n');
}

/** Join lines, so that text from a file cannot start a block of its own. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
