import { formatBytes } from '../format';
import type { IReport } from '../protocol';
import { namePart } from './bar';
import type { IWords } from './state';
import { deviceLabel, title } from './title';

/**
 * The card as plain text, for pasting into a message.
 */
export function plainText(words: IWords, report: IReport): string {
  const { sentence, trans } = words;
  const parts = report.parts.map(
    ({ kind, bytes }) => `  ${namePart(kind, trans)}: ${formatBytes(bytes)}`
  );
  const cause = report.cause
    ? `${sentence(report.cause.claim)} ${sentence(report.cause.evidence)}`
    : trans.__('No single cause stands out.');
  const remedies = report.remedies.map(
    (remedy, index) => `  ${index + 1}. ${sentence(remedy.title)}`
  );
  const details = report.details.map(({ label, bytes, source }) => {
    const size =
      bytes === null ? trans.__('not measured') : formatBytes(bytes, 2);
    return `  ${sentence(label)}: ${size} (${sentence(source)})`;
  });
  return [
    title(words, report),
    deviceLabel(words, report),
    '',
    trans.__('At the moment of failure'),
    ...parts,
    '',
    `${trans.__('Most likely cause')}: ${cause}`,
    '',
    trans.__('What you can do'),
    ...remedies,
    '',
    trans.__('Details'),
    ...details,
    ''
  ]
    .join('\n')
    .replace(/\*\*|`/g, '');
}
