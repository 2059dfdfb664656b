import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Locator, Page } from '@playwright/test';

import { expect, test } from './application';
import { faultsOf } from './axe';
import { MODEL, notebookOf, SIMULATE, TRAIN } from './cells';
import type { Notebook } from './notebook';
import { picture } from './pictures';
import { reportIn } from './surfaces';

/** Sets the batch in a cell of its own. */
const SET = 'batch_size = 32768';

/** Trains with what that cell set. */
const USE = `train(batch_size)
print("trained with", batch_size)`;

/** Sets the batch, and trains with it. */
const BOTH = `${SET}
${USE}`;

/** The notification that tells how it goes. */
function notice(page: Page): Locator {
  return page.locator('.Toastify__toast');
}

/** Run out of memory in the last cell. */
async function fail(notebook: Notebook): Promise<Locator> {
  const last = (await notebook.count()) - 1;
  await notebook.runUpTo(last);
  const failure = reportIn(notebook.cell(last));
  await expect(failure).toContainText('Out of simulated GPU memory');
  return failure;
}

/** The batch that a cell sets by now. */
async function batch(notebook: Notebook, index: number): Promise<number> {
  const [, size = ''] =
    /batch_size = (\d+)/.exec(await notebook.source(index)) ?? [];
  return Number(size);
}

test.describe('Make it fit', () => {
  test('should halve the batch until the cell passes, and take it back @smoke', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, BOTH]));
    const failure = await fail(notebook);
    await failure.getByRole('button', { name: 'Make it fit' }).click();
    await expect(notice(page)).toContainText(
      /batch_size = \d+ fits: peak (at least )?[\d.–]+( GiB)? of 4\.0 GiB\./
    );
    const fitting = await batch(notebook, 2);
    expect(fitting).toBeLessThan(32768);
    await expect(notebook.cell(2)).toContainText(`trained with ${fitting}`);
    await expect(notice(page)).toContainText(`batch_size = ${fitting} fits`);
    await expect(notice(page)).toHaveCount(1);
    await picture(page, 'make-it-fit');

    await notice(page).getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => notebook.source(2)).toBe(BOTH);
  });

  test('should stop where the person wishes, with the code as it was', async ({
    open,
    page
  }) => {
    const slow = `${TRAIN}\nimport time\ntime.sleep(300)`;
    const notebook = await open(notebookOf([SIMULATE, MODEL, slow]));
    const failure = await fail(notebook);
    await failure.getByRole('button', { name: 'Make it fit' }).click();
    await expect(notebook.cell(2)).toContainText(/trained with \d/);
    expect(await notebook.source(2)).not.toBe(slow);
    await notice(page).getByRole('button', { name: 'Cancel' }).click();
    await expect(notice(page)).toContainText('Stopping after this step…');
    await notebook.execute('notebook:interrupt-kernel');
    await expect(notice(page)).toContainText(
      'Canceled: the code is restored to before the last try.'
    );
    expect(await notebook.source(2)).toBe(slow);
    await expect(notebook.cell(2)).toContainText('KeyboardInterrupt');
  });

  test('should run the cell that sets the batch, and the one that uses it', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, SET, USE]));
    const failure = await fail(notebook);
    await failure.getByRole('button', { name: 'Make it fit' }).click();
    await expect(notice(page)).toContainText(/batch_size = \d+ fits/);
    const fitting = await batch(notebook, 2);
    expect(fitting).toBeLessThan(32_768);
    await expect(notebook.cell(3)).toContainText(`trained with ${fitting}`);
    expect(await notebook.source(3)).toBe(USE);
  });

  test('should ask before it repeats what a cell writes', async ({
    open,
    page
  }) => {
    const write = `${TRAIN}\nopen("trained.txt", "a").write("x")`;
    const notebook = await open(notebookOf([SIMULATE, MODEL, write]));
    const failure = await fail(notebook);
    await failure.getByRole('button', { name: 'Make it fit' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText(
      'Running it again repeats what it does besides computing: write, open.'
    );
    expect.soft(await faultsOf(page, '.jp-Dialog')).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(notice(page)).toContainText('Canceled: nothing was changed.');
    expect(await notebook.source(2)).toBe(write);
    await expect(failure).toBeVisible();
  });
});

test.describe('Make it fit in a windowed notebook', () => {
  test('should edit and run a cell that is far away', async ({
    open,
    page
  }) => {
    const fillers = Array.from({ length: 100 }, (_, at) => `filler = ${at}`);
    const notebook = await open(
      notebookOf([SIMULATE, MODEL, SET, ...fillers, USE])
    );
    await page.evaluate(() => {
      const { content } = window.jupyterapp.shell
        .currentWidget as NotebookPanel;
      content.notebookConfig = {
        ...content.notebookConfig,
        windowingMode: 'full'
      };
    });
    const last = (await notebook.count()) - 1;
    for (const index of [0, 1, 2, last]) {
      await notebook.run(index);
    }
    const cells = page.locator('.jp-Notebook .jp-Cell');
    await expect(notebook.cell(2)).not.toBeInViewport();
    const failure = reportIn(page.locator('.jp-Notebook'));
    await failure.getByRole('button', { name: 'Make it fit' }).click();
    await expect(notice(page)).toContainText(/batch_size = \d+ fits/);
    const fitting = await batch(notebook, 2);
    await expect(cells.last()).toContainText(`trained with ${fitting}`);
  });
});
