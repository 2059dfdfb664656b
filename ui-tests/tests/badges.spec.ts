import type { Locator } from '@playwright/test';

import { expect, test } from './application';
import { notebookOf, SIMULATE } from './cells';
import type { Notebook } from './notebook';
import { picture } from './pictures';

const KEEP = `import torch

kept = torch.empty(2**30, dtype=torch.uint8, device="cuda")`;

const NEED = `need = torch.empty(2**31, dtype=torch.uint8, device="cuda")
del need`;

const FILL =
  'filling = torch.empty(2**31 - 2**28, dtype=torch.uint8, device="cuda")';

const GROW = `outputs = globals().get("outputs", [])
outputs.append(torch.empty(2**26, dtype=torch.uint8, device="cuda"))`;

const SLOW = `import time

slowly = torch.empty(2**30, dtype=torch.uint8, device="cuda")
time.sleep(5)`;

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

  test('should name what grows over the runs of a cell', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, KEEP, GROW]));
    await notebook.runUpTo(1);
    for (let run = 0; run < 4; run++) {
      await notebook.run(2);
      // Who holds what is measured between cells, in slices that a cell ends.
      await page.waitForTimeout(2000);
    }
    const row = below(notebook, 2);
    await expect(row).toContainText(/grew 64 MiB on each of the last \d runs/);
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
