import type { ICause, IReport } from '../protocol';
import { formatBytes } from '../text/format';
import type { IWords } from '../text/messages';
import { nameSize } from '../text/names';
import { namePart } from '../text/parts';
import { plain } from '../text/plain';
import { effectText, givesMemory } from './effect';
import { deviceLabel, title } from './title';
import { listVersions } from './versions';
import { whereItFailed } from './worker';

/** Details that name other processes. */
const OF_OTHERS = new Set(['detail.process', 'detail.program']);

/** What a card says, in text and without a layout; sentences have their marks. */
export interface ICardText {
  readonly title: string;
  readonly device: string;
  /** Where it failed in another process; empty: in none. */
  readonly where: string;
  /** What the memory was, each with its size. */
  readonly parts: readonly (readonly [string, string])[];
  readonly cause: string | null;
  readonly also: readonly string[];
  /** Each with what it gives back; empty: not known. */
  readonly remedies: readonly {
    readonly title: string;
    readonly effect: string;
  }[];
  /** What, how much, and who says so. */
  readonly details: readonly {
    readonly row: readonly [string, string, string];
    readonly isOfOthers: boolean;
  }[];
  readonly versions: string;
}

/** What every text form of a card is laid out from. */
export function cardText(words: IWords, report: IReport): ICardText {
  const { sentence, trans } = words;
  const said = ({ claim, evidence }: ICause): string =>
    `${sentence(claim)} ${sentence(evidence)}`;
  return {
    title: title(words, report),
    device: deviceLabel(words, report),
    where: whereItFailed(words, report),
    parts: report.parts.map(({ kind, bytes }) => [
      namePart(kind, trans),
      formatBytes(bytes)
    ]),
    cause: report.cause && said(report.cause),
    also: report.further_causes.map(said),
    remedies: report.remedies.map(remedy => ({
      title: sentence(remedy.title),
      effect: givesMemory(remedy) ? effectText(trans, remedy) : ''
    })),
    details: report.details.map(({ label, bytes, source }) => ({
      row: [
        sentence(label),
        bytes === null ? nameSize(null, trans) : formatBytes(bytes, 2),
        sentence(source)
      ],
      isOfOthers: OF_OTHERS.has(label.id)
    })),
    versions: listVersions(report)
  };
}

/**
 * The card as plain text, for pasting into a message.
 */
export function plainText(words: IWords, report: IReport): string {
  const { trans } = words;
  const card = cardText(words, report);
  const cause = card.cause ?? trans.__('No single cause stands out.');
  return plain(
    [
      card.title,
      card.device,
      ...(card.where ? [card.where] : []),
      '',
      trans.__('At the moment of failure'),
      ...card.parts.map(([name, size]) => `  ${name}: ${size}`),
      '',
      `${trans.__('Most likely cause')}: ${cause}`,
      ...(card.also.length > 0 ? [trans.__('Also')] : []),
      ...card.also.map(each => `  - ${each}`),
      '',
      trans.__('What you can do'),
      ...card.remedies.map((each, index) => `  ${index + 1}. ${each.title}`),
      '',
      trans.__('Details'),
      ...card.details.map(
        ({ row: [name, size, source] }) => `  ${name}: ${size} (${source})`
      ),
      `  ${card.versions}`,
      ''
    ].join('\n')
  );
}
