import { expect, test } from './application';
import { allocateFor, HOLD, LIGHT, notebookOf, ROOMY, SIMULATE } from './cells';
import { report } from './latency';
import { Notebook } from './notebook';
import { timeOfOurs } from './profile';
import { notebookWith, savedReport } from './savedcard';
import { card, gauge, popup } from './surfaces';
import { Traffic } from './traffic';

/** What was measured, by how many there were. */
type Sizes = [size: number, measured: number][];

const NOTEBOOKS = [1, 3, 10, 25, 50];
const CELLS = [10, 50, 200, 700, 2000];
const PAGES = [1, 2, 3, 5, 8];
const CAUSES = [1, 2, 4, 8, 16];

/** A whole minute: most kernels are asked once in one. */
const REST_MS = 60_000;
const WATCHED_MS = 8000;
const RUNS = 10;

const KEEP =
  'parts.append(torch.empty(2**20, dtype=torch.uint8, device="cuda"))';

const figures: Record<string, Sizes> = {};

test.describe.configure({ mode: 'serial' });

test.afterAll(() => {
  report(figures);
});

test('by notebooks', async ({ open, page, write }) => {
  test.setTimeout(1_200_000);
  const traffic = new Traffic(page);
  const busy = await open(
    notebookOf([ROOMY, HOLD, allocateFor(WATCHED_MS / 1000 + 4)])
  );
  await busy.runUpTo(1);
  let opened = 1;
  const readings: Sizes = [];
  const requests: Sizes = [];
  for (const size of NOTEBOOKS) {
    for (; opened < size; opened++) {
      const path = await write(`light-${opened}.ipynb`, LIGHT);
      await (await Notebook.show(page, path)).runUpTo(1);
    }
    await Notebook.show(page, busy.path);
    await gauge(page).click();
    await expect(popup(page)).toBeVisible();
    await busy.start(2);
    await page.waitForTimeout(2000);
    const spent_ms = await timeOfOurs(page, () =>
      page.waitForTimeout(WATCHED_MS)
    );
    await busy.waitUntilIdle();
    // Ten a second, as the popup is open.
    readings.push([size, spent_ms / (WATCHED_MS / 100)]);
    await page.keyboard.press('Escape');
    await page.waitForTimeout(3000);
    traffic.restart();
    await page.waitForTimeout(REST_MS);
    requests.push([size, traffic.requests]);
  }
  Object.assign(figures, { readings, requests });
});

test('by cells', async ({ open, page, write }) => {
  test.setTimeout(1_200_000);
  await open(LIGHT);
  const runs: Sizes = [];
  for (const size of CELLS) {
    const path = await write(
      `cells-${size}.ipynb`,
      notebookOf([
        ROOMY,
        'import torch\n\nparts = []',
        ...Array<string>(size - 2).fill(KEEP)
      ])
    );
    const notebook = await Notebook.show(page, path);
    await notebook.execute('notebook:run-all-cells');
    await notebook.waitUntilIdle();
    await page.waitForTimeout(2000);
    const spent_ms = await timeOfOurs(page, async () => {
      for (let run = 0; run < RUNS; run++) {
        await notebook.run(size - 1);
      }
      await page.waitForTimeout(1000);
    });
    runs.push([size, spent_ms / RUNS]);
  }
  Object.assign(figures, { runs });
});

test('by pages on one kernel', async ({ open, page }) => {
  test.setTimeout(1_200_000);
  const notebook = await open(notebookOf([SIMULATE, HOLD]));
  await notebook.runUpTo(1);
  await notebook.execute('docmanager:save');
  const traffics = [new Traffic(page)];
  await page.reload();
  await notebook.waitUntilOpen();
  const requests: Sizes = [];
  for (const size of PAGES) {
    while (traffics.length < size) {
      const other = await page.context().newPage();
      traffics.push(new Traffic(other));
      const url = `/lab/workspaces/page-${traffics.length}/tree/${notebook.path}`;
      await other.goto(new URL(url, page.url()).href);
      await new Notebook(other, notebook.path).waitUntilOpen();
    }
    await page.waitForTimeout(3000);
    traffics.forEach(traffic => {
      traffic.restart();
    });
    await page.waitForTimeout(REST_MS / 2);
    const sent = traffics.reduce((sum, traffic) => sum + traffic.requests, 0);
    requests.push([size, 2 * sent]);
  }
  Object.assign(figures, { requests_by_pages: requests });
});

test('of a card by its causes', async ({ open, page, write }) => {
  test.setTimeout(600_000);
  const cards: Sizes = [];
  const cause = {
    rule: 'activations',
    claim: { id: 'none', params: {}, text: '**Activations** fill it.' },
    evidence: { id: 'none', params: {}, text: 'They grow with `batch_size`.' }
  };
  await open(notebookWith(savedReport()), { name: 'first.ipynb' });
  for (const size of CAUSES) {
    const further = Array.from({ length: size - 1 }, (_, number) => ({
      ...cause,
      rule: `rule-${number}`,
      bytes: 2 ** 30,
      claim: { ...cause.claim, template: cause.claim.text },
      evidence: { ...cause.evidence, template: cause.evidence.text }
    }));
    const content = notebookWith(savedReport({ further_causes: further }));
    const path = await write(`card-${size}.ipynb`, content);
    const spent_ms = await timeOfOurs(page, async () => {
      const notebook = await Notebook.show(page, path);
      await expect(card(notebook.cell(0))).toBeVisible();
      await page.waitForTimeout(1000);
    });
    cards.push([size, spent_ms]);
  }
  Object.assign(figures, { cards });
});
