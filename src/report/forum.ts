import { cardText } from '../card/text';
import type { IReport } from '../protocol';
import type { IWords } from '../text/messages';
import { plain } from '../text/plain';

/** Lines of code before and after the failing one. */
const AROUND = 3;

/** Characters of a line of code, and rows of a table. */
const MAX_LINE = 300;
const MAX_ROWS = 60;

/**
 * A report as Markdown, for a forum or an assistant: what was measured, the
 * causes and remedies, versions, and the lines around the failing one. No data,
 * and nothing of other processes.
 *
 * @param source - the failed cell as it is now; `null` where it is not known
 */
export function forumText(
  words: IWords,
  report: IReport,
  source: string | null
): string {
  const { trans } = words;
  const card = cardText(words, report);
  const size = trans.__('Size');
  const remedies = card.remedies.map(
    ({ title, effect }, index) =>
      `${index + 1}. ${oneLine([title, effect].filter(Boolean).join(': '))}`
  );
  const details = card.details.filter(({ isOfOthers }) => !isOfOthers);
  const blocks = [
    `### ${oneLine(plain(card.title))}`,
    oneLine(`${card.device}, \`${report.error_name}\``),
    code(words, report, source),
    table([trans.__('At the moment of failure'), size], card.parts),
    card.cause === null
      ? trans.__('No single cause stands out.')
      : `**${trans.__('Most likely cause')}**: ${oneLine(card.cause)}`,
    list(
      trans.__('Also'),
      card.also.map(each => `- ${oneLine(each)}`)
    ),
    list(trans.__('What you can do'), remedies),
    table(
      [trans.__('Details'), size, trans.__('Source')],
      details.map(({ row }) => row)
    ),
    oneLine(card.versions)
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
  // Longer than any in the code.
  const ticks = shown.join('').match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...ticks.map(each => each.length + 1)));
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

/** What came from a file may not begin a block of its own. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
