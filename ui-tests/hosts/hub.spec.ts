import { expect, type Page, test } from '@playwright/test';

import { HOLD, MODEL, notebookOf, SIMULATE, TRAIN } from '../tests/cells';
import { reportIn, gauge, popup } from '../tests/surfaces';
import { openNotebook, waitForLab } from './lab';

const HUB = 'http://127.0.0.1:9093/under';

/** Say a name to the hub, and wait for the server that it starts. */
async function logIn(page: Page, name: string): Promise<void> {
  await page.goto(`${HUB}/hub/login`);
  await page.getByLabel('Username').fill(name);
  await page.locator('input[type=submit]').click();
  await page.waitForURL(`${HUB}/user/${name}/lab**`, { timeout: 60_000 });
  await waitForLab(page);
}

/** Kernels that the server of this page has. */
function kernels(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { kernels: manager } = window.jupyterapp.serviceManager;
    await manager.refreshRunning();
    return [...manager.running()].map(({ id }) => id);
  });
}

test.describe('A server of a hub, below an address of its own', () => {
  test('should show, explain and free', async ({ page }) => {
    await logIn(page, 'ada');
    const notebook = await openNotebook(
      page,
      'train.ipynb',
      notebookOf([SIMULATE, MODEL, TRAIN])
    );
    await notebook.runUpTo(2);
    await expect(gauge(page)).toContainText(/Simulated GPU [\d.]+ \/ 4\.0 GiB/);
    const failure = reportIn(notebook.cell(2));
    await expect(failure).toContainText('Out of simulated GPU memory');
    await failure.getByRole('button', { name: 'Free now' }).click();
    await expect(failure.getByRole('heading').first()).toContainText(
      /GiB freed — headroom is now 3\.\d GiB/
    );
    await failure.getByRole('button', { name: /^Set batch_size = / }).click();
    await expect(notebook.cell(2)).toContainText(/trained with \d+/);
  });

  test('should have its kernel culled with the gauge open, and say so', async ({
    page
  }) => {
    await logIn(page, 'grace');
    const notebook = await openNotebook(
      page,
      'rest.ipynb',
      notebookOf([SIMULATE, HOLD])
    );
    await notebook.runUpTo(1);
    const [kernel] = await kernels(page);
    await gauge(page).click();
    await expect(popup(page)).toContainText('Headroom');
    // The page polls and the gauge is looked at, and still nobody uses the kernel.
    await expect
      .poll(() => kernels(page), { timeout: 60_000 })
      .not.toContain(kernel);
    // A kernel that is gone is no kernel in trouble: nothing is asked of a person.
    await expect(popup(page)).toContainText('nothing is measured');
    await expect(popup(page)).toContainText(/memory is already free/);
    await expect(page.locator('.jp-Dialog')).toHaveCount(0);
    await expect(gauge(page)).toBeVisible();
    // Until JupyterLab has heard of it, its own restart does nothing: ours is its own.
    await expect(page.locator('.jp-Toolbar-kernelName')).toHaveText(
      'No Kernel',
      { timeout: 30_000 }
    );
    await popup(page)
      .getByRole('button', { name: /^Restart kernel/ })
      .click();
    await expect.poll(() => kernels(page)).toHaveLength(1);
    await notebook.runUpTo(1);
    await expect(gauge(page)).toContainText('Simulated GPU 1.3 / 4.0 GiB');
  });
});
