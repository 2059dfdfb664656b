import { expect, test } from './application';
import { HOLD, notebookOf, SIMULATE } from './cells';
import { gauge, popup } from './surfaces';

const STEPS = 50;

/** One line for each step, and a call so deep that its frames take time to list. */
const COUNT = `def count():
    number = 0
${'    number += 1\n'.repeat(STEPS + 10)}    return number


def deep(frames):
    return count() if frames == 0 else deep(frames - 1)


print("counted", deep(80))`;

test.describe("JupyterLab's debugger", () => {
  test('should step beside an open gauge, and leave the kernel whole', async ({
    open,
    page
  }) => {
    test.setTimeout(300_000);
    const notebook = await open(
      notebookOf([SIMULATE, HOLD, COUNT, 'held = None'])
    );
    await notebook.runUpTo(1);
    await page.debugger.switchOn('train.ipynb');
    // It forgets what is clicked before it has started.
    await page.debugger.waitForVariables();
    const breakpoint = page.locator('.jp-DebuggerBreakpoint').first();
    await expect(async () => {
      await page.notebook.clickCellGutter(2, 3);
      await expect(breakpoint).toBeVisible({ timeout: 20_000 });
    }).toPass();
    await gauge(page).click();
    await expect(popup(page)).toContainText('Headroom');

    // On a slow machine the debugger may miss a breakpoint that it shows: then
    // the cell runs to its end, and a person sets the breakpoint anew.
    const line = page.locator('.jp-DebuggerCallstackFrame-location').first();
    const output = notebook.cell(2).locator('.jp-OutputArea-output');
    await expect(async () => {
      await notebook.start(2);
      await expect(line.or(output).first()).toBeVisible();
      if (!(await line.isVisible())) {
        await page.notebook.clickCellGutter(2, 3);
        await expect(breakpoint).toBeHidden();
        await page.notebook.clickCellGutter(2, 3);
        await expect(breakpoint).toBeVisible();
      }
      await expect(line).toContainText(':3', { timeout: 1_000 });
    }).toPass();
    for (let step = 1; step <= STEPS; step++) {
      await notebook.execute('debugger:next');
      await expect(line).toContainText(`:${3 + step}`);
    }
    expect(await notebook.askHelper()).toHaveProperty('type', 'sample');
    await expect(gauge(page)).toHaveText('Simulated GPU 1.3 / 4.0 GiB');

    await notebook.execute('debugger:continue');
    await expect(notebook.cell(2)).toContainText(`counted ${STEPS + 10}`);
    await notebook.waitUntilIdle();
    await notebook.run(3);
    await expect(gauge(page)).toContainText('Simulated GPU 0.3 / 4.0 GiB');
  });
});
