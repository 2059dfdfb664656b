import { expect, test } from './application';
import { DISPLAY, HOLD, notebookOf, SIMULATE } from './cells';
import { gauge, item, openList, toast } from './surfaces';

const FREED = 'Freed 1.0 GiB: headroom 1.7 → 2.7 GiB';

test.describe('In every application', () => {
  test('should free by the checklist, the toolbar and the menu @smoke', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD, DISPLAY]));
    await notebook.runUpTo(2);
    await expect(gauge(page)).toContainText('Simulated GPU 2.3 / 4.0 GiB');

    // The toolbar of a cell needs room beside the panel.
    await page.setViewportSize({ width: 1600, height: 900 });
    const list = await openList(page);
    await expect(item(list, 'Out[3]')).toContainText('1.0 GiB');
    await expect(item(list, 'Out[3]').getByRole('checkbox')).toBeChecked();
    await list.getByRole('button', { name: 'Free selected (1.0 GiB)' }).click();
    await expect(toast(page)).toContainText(FREED);
    expect(await notebook.inUse()).toBe(2 ** 30);

    await notebook.run(2);
    await notebook.select(2);
    await notebook
      .cell(2)
      .getByRole('button', { name: /^Release GPU/ })
      .click();
    await expect.poll(() => notebook.inUse()).toBe(2 ** 30);

    await notebook.run(2);
    await page.menu.clickMenuItem('Kernel>Release GPU');
    await expect.poll(() => notebook.inUse()).toBe(2 ** 30);
    await expect(toast(page, FREED).first()).toBeVisible();
    expect(await notebook.value<number>('held.numel()')).toBe(2 ** 30);
  });
});
