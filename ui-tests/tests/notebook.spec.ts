import { expect, test } from './application';
import { HOLD, notebookOf, SIMULATE } from './cells';
import { gauge, popup } from './surfaces';

test.describe('The gauge in the toolbar', () => {
  test('should keep its width, and its neighbours their place', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD]));
    const item = page.locator('.jp-GpuHeadroom-toolbarItem');
    const toolbar = page.locator('.jp-NotebookPanel-toolbar');
    await expect(gauge(page)).toContainText('GPU idle');
    const before = [await item.boundingBox(), await toolbar.boundingBox()];
    await notebook.runUpTo(1);
    await expect(gauge(page)).toContainText('Simulated GPU 1.3 / 4.0 GiB');
    expect([await item.boundingBox(), await toolbar.boundingBox()]).toEqual(
      before
    );
  });

  test('should open its popup below', async ({ open, page }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD]));
    await notebook.runUpTo(1);
    await expect(gauge(page)).toContainText('Simulated GPU 1.3 / 4.0 GiB');
    await gauge(page).click();
    await expect(popup(page)).toContainText('Headroom: 2.7 GiB');
    const button = await gauge(page).boundingBox();
    // It is measured before it has its place.
    await expect
      .poll(async () => (await popup(page).boundingBox())?.y)
      .toBeGreaterThan(button?.y ?? NaN);
    await page.keyboard.press('Escape');
    await expect(popup(page)).toBeHidden();
  });

  test('should be the only one, although the schema is read in JupyterLab too', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE]));
    await notebook.run(0);
    await expect(gauge(page)).toHaveCount(1);
    await expect(page.locator('#jp-main-statusbar')).toHaveCount(0);
  });
});
