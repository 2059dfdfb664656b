import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { FakeGpuMemory, settle } from '../../__tests__/memory';
import { WORDS } from '../../__tests__/report';
import { Announcer } from '../../lab/announcer';
import { type IReport, parseReport } from '../../protocol';
import { Registry } from '../../registry';
import { FakeServices } from '../../release/__tests__/services';
import { MIME_TYPE } from '../../tokens';
import { desksOf } from '../desk';
import { Offers } from '../offers';
import type { Places } from '../place';
import { ReportRenderer } from '../renderer';

const OFFERS = new Offers(new Registry());

type Bundle = Record<string, unknown>;

/** Reports as the helper saves them; see the README there. */
const SAMPLES = join(
  __dirname,
  '../../../python_helper/tests/samples/reports.json'
);
const { stub = {}, ...bundles } = JSON.parse(
  readFileSync(SAMPLES, 'utf-8')
) as Record<string, Bundle>;
const REPORTS = Object.entries(bundles);

/** An output as a notebook without a kernel shows it. */
async function show(data: Bundle): Promise<Widget> {
  const renderer = new ReportRenderer({
    memory: new FakeGpuMemory(null),
    places: { find: () => null } as unknown as Places,
    deskOf: desksOf(new FakeServices().sessions, nullTranslator),
    offers: OFFERS,
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

/** Text as a page shows it: without Markdown markup, with collapsed whitespace. */
function bare(text: string): string {
  return text.replace(/\*\*|`/g, '').replace(/\s+/g, '');
}

/**
 * The sentences of a report that are always shown, as they were saved. A training can
 * be saved only by the kernel that failed.
 */
function sentencesOf({ cause, remedies }: IReport): string[] {
  const shown = remedies.filter(({ kind }) => kind !== 'save');
  return [cause?.claim, ...shown.map(({ title }) => title)].flatMap(message =>
    message ? [message.text] : []
  );
}

describe('saved reports', () => {
  afterEach(() => {
    document.body.replaceChildren();
  });

  it.each(REPORTS)('should be read and shown: %s', async (_, bundle) => {
    const report = parseReport(bundle[MIME_TYPE]);
    if (report === null || !('parts' in report)) {
      throw new Error('It is no report.');
    }
    const { node } = await show(bundle);
    const shown = bare(node.textContent ?? '');
    const sentences = sentencesOf(report);
    expect(sentences.length).toBeGreaterThan(0);
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

  it('should show what is gone', async () => {
    const { node } = await show(stub);
    expect(node.textContent).toBe('The details of this report were not saved.');
  });

  it.each<[string, object]>([
    ['of a newer version', { version: '12.3', causes: [[]], parts: 'one' }],
    [
      'of an older one',
      { ...(bundles.batch?.[MIME_TYPE] as object), details: 1 }
    ]
  ])('should be shown as text if it is %s', async (_, data) => {
    const { node } = await show({ ...bundles.batch, [MIME_TYPE]: data });
    expect(node.querySelector('p')?.textContent).toBe(
      'This saved report cannot be read.'
    );
    expect(node.querySelector('pre')?.textContent).toBe(
      bundles.batch?.['text/plain']
    );
    expect(node.querySelector('button, section')).toBeNull();
  });

  it('should allow unknown keys', () => {
    const saved = bundles.batch?.[MIME_TYPE] as object;
    expect(parseReport({ ...saved, version: '1.7', mood: 1 })).not.toBeNull();
  });
});
