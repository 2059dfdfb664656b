import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Page } from '@playwright/test';

import { expect, test } from './application';
import { HOLD, notebookOf, SIMULATE } from './cells';
import { gauge } from './surfaces';

const GIB = 2 ** 30;

/** What the notebook keeps of us. */
function kept(page: Page): Promise<unknown> {
  return page.evaluate(() => {
    const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
    return panel.content.model?.getMetadata('gpu_headroom') as unknown;
  });
}

test.describe('A notebook that last ran on a larger GPU', () => {
  const python = notebookOf([]).metadata;

  test('should say so before a cell fails, and remember what it needs now', async ({
    open,
    page
  }) => {
    const last_ran = {
      name: null,
      capacity_bytes: 40 * GIB,
      peak_bytes: 31 * GIB,
      cell_id: 'cell-1'
    };
    const notebook = await open(
      notebookOf([SIMULATE, HOLD], { ...python, gpu_headroom: { last_ran } })
    );
    await expect.poll(() => notebook.askHelper()).toHaveProperty('sample');
    expect(await kept(page)).toEqual({ last_ran });
    await notebook.run(0);
    await notebook.run(1);
    await expect(gauge(page)).toContainText('GiB');
    await expect(page.locator('.Toastify__toast')).toContainText(
      'This notebook last needed 31.0 GiB (simulated GPU, 40.0 GiB). ' +
        'This GPU has 4.0 GiB: unchanged, it will not fit.'
    );
    await expect
      .poll(() => kept(page))
      .toEqual({
        last_ran: { ...last_ran, capacity_bytes: 4 * GIB, peak_bytes: GIB }
      });
  });

  test('should be left alone where it says so', async ({ open, page }) => {
    const notebook = await open(
      notebookOf([SIMULATE, HOLD], { ...python, gpu_headroom: false })
    );
    await notebook.run(0);
    await notebook.run(1);
    expect(await kept(page)).toBe(false);
  });
});
