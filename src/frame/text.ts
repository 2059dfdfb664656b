import { formatBytes } from '../format';
import type { IReport } from '../protocol';
import type { IWords } from './state';
import { deviceLabel, title } from './title';

/**
 * The card as plain text, for pasting into a message.
 */
export function plainText(words: IWords, report: IReport): string {
  const parts = report.parts.map(
    part => `  ${words.say(`part.${part.kind}`)}: ${formatBytes(part.bytes)}`
  );
  const cause = report.cause
    ? `${words.sentence(report.cause.claim)} ${words.sentence(report.cause.evidence)}`
    : words.say('card.no_cause');
  const remedies = report.remedies.map(
    (remedy, index) => `  ${index + 1}. ${words.sentence(remedy.title)}`
  );
  const details = report.details.map(
    ({ label, bytes, source }) =>
      `  ${words.sentence(label)}: ${bytes === null ? words.say('card.not_measured') : formatBytes(bytes, 2)} (${source})`
  );
  return [
    title(words, report),
    deviceLabel(words, report),
    '',
    words.say('card.moment'),
    ...parts,
    '',
    `${words.say('card.cause')}: ${cause}`,
    '',
    words.say('card.remedies'),
    ...remedies,
    '',
    words.say('card.details'),
    ...details,
    ''
  ]
    .join('\n')
    .replace(/\*\*|`/g, '');
}
