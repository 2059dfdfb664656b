import type { ICause, IReport } from '../protocol';
import { formatBytes } from '../text/format';
import type { IWords } from '../text/messages';
import { namePart } from '../text/parts';
import { listVersions } from './details';
import { deviceLabel, title } from './title';

/**
 * The card as plain text, for pasting into a message.
 */
export function plainText(words: IWords, report: IReport): string {
  const { sentence, trans } = words;
  const parts = report.parts.map(
    ({ kind, bytes }) => `  ${namePart(kind, trans)}: ${formatBytes(bytes)}`
  );
  const said = ({ claim, evidence }: ICause): string =>
    `${sentence(claim)} ${sentence(evidence)}`;
  const cause = report.cause
    ? said(report.cause)
    : trans.__('No single cause stands out.');
  const also = report.further_causes.map(each => `  - ${said(each)}`);
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
    ...(also.length > 0 ? [trans.__('Also'), ...also] : []),
    '',
    trans.__('What you can do'),
    ...remedies,
    '',
    trans.__('Details'),
    ...details,
    `  ${listVersions(report)}`,
    ''
  ]
    .join('\n')
    .replace(/\*\*|`/g, '');
}
