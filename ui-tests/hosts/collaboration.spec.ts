import { type Browser, expect, type Page, test } from '@playwright/test';

import { HOLD, MODEL, notebookOf, SIMULATE, TRAIN } from '../tests/cells';
import { Notebook } from '../tests/notebook';
import { reportIn, gauge } from '../tests/surfaces';
import { openNotebook, waitForLab } from './lab';

const LAB = 'http://localhost:9091/lab';
const BADGE = '.jp-GpuHeadroom-badgeRow:not(.lm-mod-hidden)';

/** A person at a browser of their own. */
async function arrive(browser: Browser): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(LAB);
  await waitForLab(page);
  return page;
}

/** Two people in one notebook: who opened it, and who came to it. */
async function together(
  browser: Browser,
  path: string,
  cells: string[]
): Promise<{ first: Notebook; second: Notebook }> {
  const [ada, grace] = [await arrive(browser), await arrive(browser)];
  const first = await openNotebook(ada, path, notebookOf(cells));
  return { first, second: await Notebook.show(grace, path) };
}

test.describe('Two people in one notebook', () => {
  test('should see the same report, badges and edits', async ({ browser }) => {
    const { first, second } = await together(browser, 'shared.ipynb', [
      SIMULATE,
      HOLD,
      'del held',
      MODEL,
      TRAIN
    ]);
    await first.runUpTo(4);

    // Both look at one kernel, and each has the report of the cell that failed.
    for (const notebook of [first, second]) {
      await expect(gauge(notebook.page)).toContainText('/ 4.0 GiB');
      const failure = reportIn(notebook.cell(4));
      await expect(failure).toHaveCount(1);
      await expect(failure).toContainText('Out of simulated GPU memory');
      await expect(notebook.cell(1).locator(BADGE)).toContainText('1.0 GiB');
      await expect(
        failure.getByRole('button', { name: 'Free now' })
      ).toBeVisible();
    }
    expect(await second.kernelId()).toBe(await first.kernelId());

    // What one frees is freed on both reports.
    const failed = reportIn(first.cell(4));
    const seen = reportIn(second.cell(4));
    await failed.getByRole('button', { name: 'Free now' }).click();
    for (const each of [failed, seen]) {
      await expect(each.getByRole('heading').first()).toContainText(
        /GiB freed — headroom is now 3\.\d GiB/
      );
    }

    // What one applies is in the notebook of both, and runs once.
    await seen.getByRole('button', { name: /^Set batch_size = / }).click();
    for (const notebook of [first, second]) {
      await expect(notebook.cell(4)).toContainText(/trained with \d+/);
      await expect(reportIn(notebook.cell(4))).toHaveCount(0);
    }
    const source = await second.source(4);
    expect(source).not.toBe(TRAIN);
    await expect.poll(() => first.source(4)).toBe(source);
    expect(await second.value('batch_size')).toBeLessThan(32_768);
  });

  test('should have it made to fit by either, and taken back', async ({
    browser
  }) => {
    const { first, second } = await together(browser, 'fitting.ipynb', [
      SIMULATE,
      MODEL,
      TRAIN
    ]);
    await first.runUpTo(2);

    await reportIn(second.cell(2))
      .getByRole('button', { name: 'Make it fit' })
      .click();
    const notice = second.page.locator('.Toastify__toast', {
      hasText: /fits: peak/
    });
    await expect(notice).toBeVisible({ timeout: 60_000 });
    for (const notebook of [first, second]) {
      await expect(notebook.cell(2)).toContainText(/trained with \d+/);
    }
    const fitting = await second.source(2);
    expect(fitting).not.toBe(TRAIN);
    await expect.poll(() => first.source(2)).toBe(fitting);
    // Whoever did not ask is told nothing, and may undo it as any edit of others.
    await expect(
      first.page.locator('.Toastify__toast', { hasText: /fits: peak/ })
    ).toHaveCount(0);

    await notice.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => second.source(2)).toBe(TRAIN);
    await expect.poll(() => first.source(2)).toBe(TRAIN);
  });

  test('should not have a line overwritten that the other has just changed', async ({
    browser
  }) => {
    const { first, second } = await together(browser, 'typing.ipynb', [
      SIMULATE,
      MODEL,
      TRAIN
    ]);
    await first.runUpTo(2);
    const failure = reportIn(second.cell(2));
    await failure.getByRole('button', { name: 'Free now' }).click();
    const apply = failure.getByRole('button', { name: /^Set batch_size = / });
    await expect(apply).toBeVisible();

    const typed = TRAIN.replace('batch_size = 32768', 'batch_size = 24');
    await first.edit(2, typed);
    await expect.poll(() => second.source(2)).toBe(typed);
    await apply.click();
    await expect(failure).toContainText(
      'The cell was edited after it failed; line 1 no longer matches.'
    );
    expect(await first.source(2)).toBe(typed);
    expect(await second.source(2)).toBe(typed);
  });
});
