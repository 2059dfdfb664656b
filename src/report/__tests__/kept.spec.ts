import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { FakeFiles } from '../../__tests__/files';
import { FakeGpuMemory, settle } from '../../__tests__/memory';
import { WORDS } from '../../__tests__/report';
import { isNewer } from '../../card/newer';
import { Announcer } from '../../lab/announcer';
import { type IReport, parseReport } from '../../protocol';
import { FakeServices } from '../../release/__tests__/services';
import { MIME_TYPE } from '../../tokens';
import type { Places } from '../place';
import { ReportRenderer } from '../renderer';
import { Reports } from '../reports';

type Bundle = Record<string, unknown>;

interface ISample {
  commit: string;
  new: string;
  cards: Record<string, Bundle>;
}

/** What helpers of every version have saved; a README there says how. */
const FOLDER = join(__dirname, '../../../python_helper/tests/samples/cards');

const SAMPLES: [string, string, Bundle][] = readdirSync(FOLDER)
  .sort()
  .flatMap(name => {
    const text = readFileSync(join(FOLDER, name), 'utf-8');
    return Object.entries((JSON.parse(text) as ISample).cards).map(
      ([card, bundle]): [string, string, Bundle] => [name, card, bundle]
    );
  });
const CARDS = SAMPLES.filter(([, card]) => card !== 'stub');
const STUBS = SAMPLES.filter(([, card]) => card === 'stub');

/** An output as a notebook without a kernel shows it. */
async function show(data: Bundle): Promise<Widget> {
  const renderer = new ReportRenderer({
    memory: new FakeGpuMemory(null),
    places: { find: () => null } as unknown as Places,
    reports: new Reports(
      new FakeServices().sessions,
      new FakeFiles().files,
      nullTranslator
    ),
    announcer: new Announcer(),
    dialogs: {} as ISessionContextDialogs,
    words: WORDS
  });
  const before = JSON.stringify(data);
  await renderer.renderModel({
    data,
    metadata: {},
    trusted: false,
    setData: () => {
      throw new Error('What a notebook holds was changed.');
    }
  } as unknown as Parameters<ReportRenderer['renderModel']>[0]);
  Widget.attach(renderer, document.body);
  await settle();
  expect(JSON.stringify(data)).toBe(before);
  return renderer;
}

/** As a page shows it: without the marks of Markdown, blanks as they come. */
function bare(text: string): string {
  return text.replace(/\*\*|`/g, '').replace(/\s+/g, '');
}

/**
 * The sentences of a card that are never left out, in its saver's own words. A
 * training can be saved by the kernel that failed only.
 */
function sentencesOf({ cause, remedies }: IReport): string[] {
  const shown = remedies.filter(({ kind }) => kind !== 'save');
  return [cause?.claim, ...shown.map(({ title }) => title)].flatMap(message =>
    message ? [message.text] : []
  );
}

describe('cards that were saved', () => {
  afterEach(() => {
    document.body.replaceChildren();
  });

  it('should be of every version', () => {
    expect(new Set(CARDS.map(([name]) => name)).size).toBeGreaterThan(12);
    expect(STUBS.length).toBeGreaterThan(1);
  });

  it.each(CARDS)('should be read and shown: %s %s', async (_, card, bundle) => {
    const report = parseReport(bundle[MIME_TYPE]);
    if (report === null || !('parts' in report)) {
      throw new Error('It is no card.');
    }
    const { node } = await show(bundle);
    const shown = bare(node.textContent ?? '');
    const sentences = sentencesOf(report);
    // One that only grew has a bar and no cause that early helpers knew.
    expect(sentences.length).toBeGreaterThan(card === 'filled' ? -1 : 0);
    for (const sentence of sentences) {
      expect(shown).toContain(bare(sentence));
    }
    expect(node.querySelector('section')).not.toBeNull();
    expect(node.querySelectorAll('[class*=segment]').length > 0).toBe(
      report.parts.length > 0
    );
    for (const { diffs } of report.remedies) {
      for (const { text } of diffs.flatMap(({ rows }) => rows)) {
        expect(shown).toContain(bare(text));
      }
    }
  });

  it.each(STUBS)('should say what is gone: %s %s', async (_, __, bundle) => {
    const { node } = await show(bundle);
    expect(node.textContent).toBe('The details of this report were not saved.');
  });

  describe('by a newer GPU Headroom', () => {
    const [, , bundle = {}] = CARDS[CARDS.length - 1] ?? [];
    const [, , stub = {}] = STUBS[0] ?? [];
    const SENTENCE =
      /^A newer GPU Headroom saved this card\. Update the package/;

    it.each<[string, unknown]>([
      [
        'in a shape as ours',
        { ...(bundle[MIME_TYPE] as object), version: '2.0' }
      ],
      ['in its own shape', { version: '12.3', causes: [[]], parts: 'one' }],
      ['and not kept', { ...(stub[MIME_TYPE] as object), version: '2.1' }]
    ])('should say so over the text of the output: %s', async (_, data) => {
      const { node } = await show({ ...bundle, [MIME_TYPE]: data });
      expect(node.querySelector('p')?.textContent).toMatch(SENTENCE);
      expect(node.querySelector('pre')?.textContent).toBe(bundle['text/plain']);
      expect(node.querySelector('button, section')).toBeNull();
    });

    it('should need no text', async () => {
      const { node } = await show({ [MIME_TYPE]: { version: '2.0' } });
      expect(node.textContent).toMatch(SENTENCE);
      expect(node.querySelector('pre')).toBeNull();
    });

    it('should be told from one of this major version, and from none', () => {
      const saved = bundle[MIME_TYPE] as object;
      expect(isNewer({ ...saved, version: '1.7' })).toBe(false);
      expect(parseReport({ ...saved, version: '1.7', mood: 1 })).not.toBeNull();
      for (const data of [null, 'text', [], {}, { version: 'newest' }]) {
        expect(isNewer(data)).toBe(false);
      }
    });
  });
});
