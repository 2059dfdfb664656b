import type { Locator } from '@playwright/test';

/** Of a report. */
export const MIME_TYPE = 'application/vnd.gpu-headroom.report+json';

interface ISentence {
  readonly text: string;
}

/** As much of a report as a reader must get, however it is laid out. */
interface IReport {
  readonly parts: readonly { readonly kind: string }[];
  readonly cause: null | {
    readonly claim: ISentence;
    readonly evidence: ISentence;
  };
  readonly remedies: readonly {
    readonly title: ISentence;
    readonly note: ISentence;
  }[];
}

/** What an output of a notebook carries. */
export type Bundle = Readonly<Record<string, unknown>>;

/** A text without marks and blanks: each layout has its own. */
function plain(text: string): string {
  return text.replace(/[`*\s]/g, '');
}

/**
 * The sentences of a report, and its title, without marks and blanks.
 *
 * Fails where it says next to nothing.
 */
export function sentencesOf(bundle: Bundle): string[] {
  const { parts, cause, remedies } = bundle[MIME_TYPE] as IReport;
  const [title = ''] = String(bundle['text/plain']).split('\n');
  const said = [
    ...title.split(/ — |: /),
    ...(cause ? [cause.claim.text, cause.evidence.text] : []),
    ...remedies.flatMap(({ title: name, note }) => [name.text, note.text]),
    ...parts.map(({ kind }) => kind.replace(/_/g, ' '))
  ].map(plain);
  if (said.length < 8) {
    throw new Error(`A report of ${said.length} sentences only`);
  }
  return said.filter(Boolean);
}

/** Those of the sentences that a text lacks. */
export function missingIn(
  text: string,
  sentences: readonly string[]
): string[] {
  const there = plain(text);
  return sentences.filter(sentence => !there.includes(sentence));
}

/** All that a place says, folded or not. */
export async function textOf(place: Locator): Promise<string> {
  return (await place.textContent()) ?? '';
}

/** The first suggestion of a report that can be copied, and the code that it shows. */
export async function suggestionIn(
  report: Locator
): Promise<{ item: Locator; copy: Locator; code: string }> {
  const copy = report.getByLabel(/^Copy: /).first();
  const item = copy.locator('xpath=ancestor::li');
  const examples = await item.locator('pre').allTextContents();
  const added = await item.locator('.jp-mod-added code').allTextContents();
  const code = (examples.length > 0 ? examples : added).join('\n');
  if (code === '') {
    throw new Error('A suggestion that shows no code');
  }
  return { item, copy, code };
}
