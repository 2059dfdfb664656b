import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { type Browser, expect, type Page, test } from '@playwright/test';

import { faultsInEach } from '../tests/axe';
import { HOLD, MODEL, SIMULATE, TRAIN } from '../tests/cells';
import { MIME_TYPE } from '../tests/reading';

type Bundle = Record<string, unknown>;

const PYTHON = join(__dirname, '../../.venv/bin/python');
const HTML = 'text/html';
const OUTPUT = '.gpu-headroom-report';

/** As an output stands in a page that has no extension of ours and lets nothing run. */
const POLICY =
  "default-src 'none'; script-src 'none'; connect-src 'none'; style-src 'unsafe-inline'";

/** What cells show in a kernel that has the package, and no page of ours. */
function outputsOf(cells: string[]): unknown[][] {
  const script = join(__dirname, 'outputs.py');
  const printed = execFileSync(PYTHON, [script], {
    encoding: 'utf-8',
    input: JSON.stringify(cells),
    timeout: 100_000
  });
  return JSON.parse(printed) as unknown[][];
}

/** The bundle among outputs that is a report, or a reading. */
function bundleIn(outputs: unknown[] | undefined): Bundle {
  const found = outputs?.find(
    each => typeof each === 'object' && each !== null && 'text/html' in each
  );
  if (found === undefined) {
    throw new Error(`There is no HTML in ${JSON.stringify(outputs)}`);
  }
  return found;
}

/**
 * Show an output as VS Code does: as HTML in a page of its own, which lets nothing run.
 *
 * @param isBare - the page knows no scripts at all; axe-core is one
 */
async function show(
  browser: Browser,
  { [HTML]: html }: Bundle,
  isBare = true
): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled: !isBare });
  const page = await context.newPage();
  await page.route('**', async route => {
    await route.abort();
  });
  await page.setContent(
    `<!doctype html><html lang="en"><head><title>An output</title><meta http-equiv="Content-Security-Policy" content="${POLICY}"></head><body><main>${String(html)}</main></body></html>`
  );
  return page;
}

/** As a page shows it: without the marks of Markdown. */
function bare(text: string): string {
  return text
    .replace(/\*\*|`/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** All sentences of a report, wherever in it they are. */
function sentencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  const { template, text } = value as Bundle;
  return typeof template === 'string' && typeof text === 'string'
    ? [bare(text)]
    : Object.values(value).flatMap(sentencesIn);
}

test.describe('Outputs where no extension is', () => {
  let outputs: unknown[][];

  test.beforeAll(() => {
    outputs = outputsOf([
      '%load_ext gpu_headroom',
      SIMULATE,
      HOLD,
      'gpu_headroom.show()',
      '%gpu_headroom holders',
      'del held',
      MODEL,
      TRAIN,
      '%gpu_headroom free'
    ]);
  });

  test('should be complete without scripts: the report', async ({
    browser
  }) => {
    const bundle = bundleIn(outputs[7]);
    const page = await show(browser, bundle);
    const output = page.locator(OUTPUT);
    await expect(output.getByRole('heading').first()).toContainText(
      /Out of simulated GPU memory — needed .* more/
    );
    const shown = bare((await output.textContent()) ?? '');
    const sentences = sentencesIn(bundle[MIME_TYPE]).filter(Boolean);
    expect(sentences.length).toBeGreaterThan(10);
    for (const sentence of sentences) {
      expect(shown).toContain(sentence);
    }
    // What is folded is opened by the browser itself.
    const fold = output.locator('details').last();
    await fold.locator('summary').first().focus();
    await page.keyboard.press('Enter');
    await expect(fold).toHaveAttribute('open', '');
    await expect(output.locator('script, button, [onclick], a')).toHaveCount(0);
    expect(bundle[HTML]).not.toMatch(/https?:|@import|url\(/);
  });

  test('should be complete as plain text, too', () => {
    const bundle = bundleIn(outputs[7]);
    const text = bare(String(bundle['text/plain']));
    const { remedies } = bundle[MIME_TYPE] as { remedies: Bundle[] };
    for (const { title } of remedies) {
      for (const sentence of sentencesIn([title])) {
        expect(text).toContain(sentence);
      }
    }
    expect(outputs[4]?.join('')).toMatch(/^1\.0 GiB +tensor +held$/m);
    expect(outputs[8]?.join('')).toContain('Freed 2.9 GiB');
  });

  test('should be complete without scripts: a reading', async ({ browser }) => {
    const page = await show(browser, bundleIn(outputs[3]));
    await expect(page.locator(OUTPUT)).toContainText('1.0 GiB');
    await expect(page.locator('script')).toHaveCount(0);
  });

  for (const [name, cell] of [
    ['the report', 7],
    ['a reading', 3]
  ] as const) {
    test(`should have nothing that axe-core finds wrong: ${name}`, async ({
      browser
    }) => {
      const page = await show(browser, bundleIn(outputs[cell]), false);
      for (const fold of await page.locator('summary').all()) {
        await fold.click();
      }
      const faults = await faultsInEach(
        ['light', 'dark'],
        page,
        OUTPUT,
        scheme => page.emulateMedia({ colorScheme: scheme as 'light' | 'dark' })
      );
      expect(faults).toEqual([]);
    });
  }
});
