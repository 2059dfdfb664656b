import type { NotebookPanel } from '@jupyterlab/notebook';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { Locator, Page } from '@playwright/test';

import { expect, test } from './application';
import { notebookOf, SIMULATE } from './cells';
import type { Notebook } from './notebook';
import { picture } from './pictures';
import { gauge } from './surfaces';

const KEEP = `import torch

kept = torch.empty(2**30, dtype=torch.uint8, device="cuda")`;

const NEED = `need = torch.empty(2**31, dtype=torch.uint8, device="cuda")
del need`;

const FILL =
  'filling = torch.empty(2**31 - 2**28, dtype=torch.uint8, device="cuda")';

const DISPLAYED = `class Batch:
    def __init__(self):
        self.tensor = torch.empty(2**31 - 2**28, dtype=torch.uint8, device="cuda")

Batch()`;

const GROW = `outputs = globals().get("outputs", [])
outputs.append(torch.empty(2**26, dtype=torch.uint8, device="cuda"))`;

const SLOW = `import time

slowly = torch.empty(2**30, dtype=torch.uint8, device="cuda")
time.sleep(5)`;

/** What a badge says of `KEEP`. */
const KEPT = '+1.0 GiB · peak 1.0 GiB';

/**
 * What the badges say by the index of their cell, in each view of a notebook. A cell
 * that is scrolled away keeps no more than its outputs on the page: its parts are asked.
 */
function told(page: Page): Promise<Record<number, string>[]> {
  return page.evaluate(() =>
    [...window.jupyterapp.shell.widgets('main')].map((view: unknown) => {
      const { content } = view as Partial<NotebookPanel>;
      const found = (content?.widgets ?? []).map(({ layout }, index) => {
        const badges = [...(layout ?? [])].flatMap(({ node }) => [
          ...node.querySelectorAll('.jp-GpuHeadroom-badge')
        ]);
        const parts = badges.flatMap(each => [...each.children].slice(0, -1));
        return [index, parts.map(each => each.textContent).join('')];
      });
      return Object.fromEntries(found.filter(([, text]) => text)) as object;
    })
  ) as Promise<Record<number, string>[]>;
}

/** What is undone next is what is done next, and nothing before it. */
async function startOver(page: Page): Promise<void> {
  await page.evaluate(() => {
    const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
    panel.content.model?.sharedModel.clearUndoHistory();
  });
}

/** Show badges or not, while the page stands. */
async function set(page: Page, isShown: boolean): Promise<void> {
  await page.evaluate(async showBadges => {
    const settings: ISettingRegistry | undefined =
      await window.galata.getPlugin('@jupyterlab/apputils-extension:settings');
    await settings?.set('gpu-headroom:plugin', 'showBadges', showBadges);
  }, isShown);
}

/** What stands below the output of a cell. */
function below(notebook: Notebook, index: number): Locator {
  return notebook.cell(index).locator('.jp-GpuHeadroom-badgeRow');
}

test.describe('The badge of a cell', () => {
  test('should say what the cell did, also after a reload', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, KEEP, NEED]));
    await notebook.runUpTo(2);
    await expect(below(notebook, 1)).toContainText('+1.0 GiB · peak 1.0 GiB');
    await expect(below(notebook, 2)).toContainText('no change · peak 3.0 GiB');

    const details = below(notebook, 2).getByText('Needed on top2.0 GiB');
    await expect(details).toBeHidden();
    await below(notebook, 2).getByRole('button').hover();
    await expect(details).toBeVisible();
    await page.reload();
    await notebook.waitUntilOpen();
    await expect(below(notebook, 1)).toContainText('+1.0 GiB');
  });

  test('should warn before a run that needed more than there is', async ({
    open
  }) => {
    const notebook = await open(notebookOf([SIMULATE, KEEP, NEED, FILL]));
    await notebook.runUpTo(3);
    await notebook.select(2);
    await expect(below(notebook, 2)).toContainText(
      /last time this cell needed 2\.00 GiB, headroom is \d/
    );
    await notebook.select(3);
    await expect(below(notebook, 2)).not.toContainText('headroom is');
  });

  test('should offer to free first what nobody would miss', async ({
    open
  }) => {
    const notebook = await open(notebookOf([SIMULATE, KEEP, NEED, DISPLAYED]));
    await notebook.runUpTo(3);
    await notebook.select(2);
    const row = below(notebook, 2);
    await row.getByRole('button', { name: 'Free 1.8 GiB first' }).click();
    await expect(row).not.toContainText('last time this cell needed');
    await notebook.run(2);
    await expect(notebook.cell(2)).toContainText('[5]:');
    await expect(notebook.cell(2)).not.toContainText('OutOfMemoryError');
  });

  test('should say at its start that a cell may not fit', async ({
    open,
    page
  }) => {
    const notebook = await open(
      notebookOf([SIMULATE, KEEP, `import time; time.sleep(5)\n${NEED}`, FILL])
    );
    await notebook.runUpTo(3);
    await notebook.select(2);
    await page.keyboard.press('Control+Enter');
    await expect(gauge(page)).toContainText('needed 2.0 last time');
    await expect(gauge(page)).toHaveAttribute(
      'title',
      /needed 2\.00 GiB last time/
    );
  });

  test('should stay with its cell among a thousand, wherever that goes', async ({
    open,
    page
  }) => {
    test.slow();
    const rest = Array.from({ length: 1000 }, (_, at) => `filler = ${at}`);
    rest[897] = KEEP.replace('kept', 'far');
    const notebook = await open(notebookOf([SIMULATE, KEEP, ...rest]));
    await page.evaluate(() => {
      const { content } = window.jupyterapp.shell
        .currentWidget as NotebookPanel;
      content.notebookConfig = {
        ...content.notebookConfig,
        windowingMode: 'full'
      };
    });
    await notebook.runUpTo(2);
    await notebook.run(899);
    const far = { 899: KEPT.replace('peak 1', 'peak 2') };
    await expect.poll(() => told(page)).toEqual([{ 1: KEPT, ...far }]);

    const shown = page.locator('.jp-GpuHeadroom-badge:visible');
    for (const [place, expected] of [
      [400, []],
      [899, [/peak 2\.0 GiB/]],
      [1, [/peak 1\.0 GiB/]]
    ] as const) {
      await notebook.scrollTo(place);
      await expect(shown).toContainText([...expected]);
    }
    await expect.poll(() => told(page)).toEqual([{ 1: KEPT, ...far }]);
    await notebook.select(1);
    await notebook.execute('notebook:enter-command-mode');
    await notebook.execute('notebook:move-cell-down');
    await expect.poll(() => told(page)).toEqual([{ 2: KEPT, ...far }]);

    await startOver(page);
    await notebook.execute('notebook:delete-cell');
    await expect.poll(() => told(page)).toEqual([{ 898: far[899] }]);
    await notebook.execute('notebook:undo-cell-action');
    await expect.poll(() => told(page)).toEqual([{ 2: KEPT, ...far }]);
    await notebook.run(2);
    await expect
      .poll(() => told(page))
      .toEqual([{ 2: expect.stringContaining('peak 3.0 GiB'), ...far }]);
    await expect(shown).toContainText([/peak 3\.0 GiB/]);
  });

  test('should claim no other code than ran', async ({ open, page }) => {
    const notebook = await open(
      notebookOf([SIMULATE, `${KEEP}\nsecond = 2`, 'last = 3'])
    );
    await notebook.runUpTo(2);
    const before = `${KEPT} · before the edit`;
    await expect.poll(() => told(page)).toEqual([{ 1: KEPT }]);

    await startOver(page);
    await notebook.putCursor(1, 3);
    await notebook.execute('notebook:split-cell-at-cursor');
    await expect.poll(() => told(page)).toEqual([{ 2: before }]);
    await notebook.execute('notebook:undo-cell-action');
    await expect.poll(() => told(page)).toEqual([{ 1: KEPT }]);

    await startOver(page);
    await notebook.select(1);
    await notebook.execute('notebook:merge-cell-below');
    await expect.poll(() => told(page)).toEqual([{}]);
    await notebook.execute('notebook:undo-cell-action');
    await expect.poll(() => told(page)).toEqual([{ 1: KEPT }]);

    await notebook.select(1);
    await notebook.execute('notebook:copy-cell');
    await notebook.execute('notebook:paste-cell-below');
    await expect.poll(() => notebook.count()).toBe(4);
    await expect.poll(() => told(page)).toEqual([{ 1: KEPT }]);
    await notebook.select(1);
    await notebook.execute('notebook:cut-cell');
    await notebook.select(2);
    await notebook.execute('notebook:paste-cell-below');
    await expect.poll(() => told(page)).toEqual([{ 3: KEPT }]);

    await notebook.execute('docmanager:clone');
    await expect.poll(() => told(page)).toEqual([{ 3: KEPT }, { 3: KEPT }]);
    await set(page, false);
    await expect.poll(() => told(page)).toEqual([{}, {}]);
    await set(page, true);
    await notebook.edit(3, KEEP);
    await expect.poll(() => told(page)).toEqual([{ 3: before }, { 3: before }]);
    await picture(page, 'badge-before-the-edit');

    await notebook.execute('docmanager:save');
    await page.goto(page.url().replace(/\?.*/, ''));
    await notebook.waitUntilOpen();
    await expect.poll(() => told(page)).toEqual([{ 3: before }]);
  });

  test('should name what grows over the runs of a cell', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, KEEP, GROW]));
    await notebook.runUpTo(1);
    const row = below(notebook, 2);
    // Holders are measured between cells: a machine that is slow needs more runs.
    await expect(async () => {
      await notebook.run(2);
      await expect(row).toContainText(
        /grew 64 MiB on each of the last \d+ runs/,
        { timeout: 2000 }
      );
    }).toPass();
    await expect(row).toContainText('outputs is kept alive');
    await picture(page, 'badges');
    await row.getByRole('button').click();
    await expect(page.locator('#gpu-headroom-panel')).toBeVisible();
  });

  test('should tell how far a running cell has come', async ({ open }) => {
    const notebook = await open(notebookOf([SIMULATE, KEEP, SLOW]));
    await notebook.runUpTo(1);
    await notebook.start(2);
    await expect(below(notebook, 2)).toContainText('+1.0 GiB so far · running');
    await notebook.waitUntilIdle();
    await expect(below(notebook, 2)).toContainText('+1.0 GiB · peak');
  });
});
