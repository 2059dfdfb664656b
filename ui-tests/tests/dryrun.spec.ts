import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Locator, Page } from '@playwright/test';

import { expect, test } from './application';
import { faultsOf } from './axe';
import { MODEL, notebookOf, SIMULATE } from './cells';
import type { Notebook } from './notebook';
import { picture } from './pictures';
import { reportIn } from './surfaces';

const TRAIN = `batch_size = 16384
train(batch_size)`;

/** Long enough for a whole dry run beside it. */
const BUSY = `import time

steps = 0
while steps < 4000:
    time.sleep(0.05)
    steps += 1`;

function fitsOn(page: Page): Locator {
  return page.locator('#gpu-headroom-panel-fits-on');
}

/** Open the dialog, once the kernel has its helper. */
async function openDialog(page: Page): Promise<Locator> {
  await page.waitForFunction(() =>
    window.jupyterapp.commands.isEnabled('gpu-headroom:dry-run')
  );
  await page.evaluate(() => {
    void window.jupyterapp.commands.execute('gpu-headroom:dry-run');
  });
  return page.getByRole('dialog');
}

/** Open the dialog, choose a GPU, and begin. */
async function begin(
  page: Page,
  notebook: Notebook,
  gpu: string
): Promise<void> {
  const dialog = await openDialog(page);
  await dialog.getByRole('combobox', { name: 'GPU' }).selectOption(gpu);
  await expect(dialog).toContainText('simulated GPU');
  expect(notebook.path).toBeTruthy();
  await dialog.getByRole('button', { name: 'Start dry run' }).click();
}

test.describe('Dry run', () => {
  test.describe.configure({ timeout: 400_000 });

  test('should say on which GPUs a notebook fits, beside a cell that runs', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([MODEL, TRAIN, BUSY]));
    await notebook.start(2);
    await page.evaluate(() => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      panel.content.activeCellIndex = 1;
    });
    const dialog = await openDialog(page);
    await dialog.getByRole('combobox', { name: 'Cells' }).selectOption('some');
    await picture(page, 'dry-run-dialog', dialog);
    expect(await faultsOf(page, '.jp-Dialog')).toEqual([]);
    await dialog.getByRole('button', { name: 'Start dry run' }).click();
    const section = fitsOn(page);
    await expect(section).toContainText('runs on a simulated GPU');
    await expect(section).toContainText(
      /Needed at its peak: [\d.]+ GiB, simulated/,
      {
        timeout: 120_000
      }
    );
    await expect(section.locator('li', { hasText: 'H100' })).toContainText(
      'left'
    );
    await expect(section.getByRole('button', { name: 'Cancel' })).toBeHidden({
      timeout: 120_000
    });
    await page.setViewportSize({ width: 1024, height: 1000 });
    await picture(page, 'dry-run', section);
    expect(await faultsOf(page, '#gpu-headroom-panel-fits-on')).toEqual([]);

    await notebook.execute('notebook:interrupt-kernel');
  });

  test('should end where a person says so', async ({ open, page }) => {
    const notebook = await open(notebookOf([MODEL, TRAIN, BUSY]));
    await begin(page, notebook, 'T4');
    const section = fitsOn(page);
    await expect(section).toContainText('runs on a simulated GPU');
    await section.getByRole('button', { name: 'Cancel' }).click();
    await expect(section).toContainText('The dry run was ended.');
  });

  test('should say that its part of the helper did not come, and try again', async ({
    open,
    page
  }) => {
    // A kernel in which it is not installed.
    const kernelspec = { name: 'kernel-6.17', display_name: '6.17' };
    const notebook = await open(notebookOf([MODEL, TRAIN], { kernelspec }));
    await openDialog(page);
    await page.keyboard.press('Escape');
    // What this page loads for a kernel with a helper is what the dry run lacks.
    await page.route('**/gpu-headroom/static/*.js*', async route => {
      const response = await route.fetch();
      const isPack = (await response.text()).includes('def _gpu_headroom_boot');
      await (isPack ? route.abort() : route.fulfill({ response }));
    });
    await page.reload();
    await notebook.waitUntilOpen();
    await begin(page, notebook, 'T4');
    await expect(page.locator('.Toastify__toast')).toContainText(
      'A part of GPU Headroom could not be loaded in this kernel: Loading chunk'
    );
    await page.unroute('**/gpu-headroom/static/*.js*');
    await begin(page, notebook, 'T4');
    await expect(fitsOn(page)).toContainText('Needed at its peak', {
      timeout: 120_000
    });
  });

  test('should ask first for what others would notice', async ({
    open,
    page
  }) => {
    const notebook = await open(
      notebookOf([MODEL, 'model.push_to_hub("mine")', TRAIN])
    );
    await begin(page, notebook, 'T4');
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('model.push_to_hub');
    await picture(page, 'dry-run-asks', dialog);
    await dialog.getByRole('button', { name: 'Leave them out' }).click();
    const section = fitsOn(page);
    await expect(section).toContainText('Needed at its peak', {
      timeout: 120_000
    });
  });

  test('should say what is not held where the system has no sandbox', async ({
    open,
    page
  }) => {
    const notebook = await open(
      notebookOf([
        MODEL,
        TRAIN,
        'import os\nos.environ["GPU_HEADROOM_SANDBOX"] = "elsewhere"'
      ])
    );
    await notebook.run(2);
    await begin(page, notebook, 'T4');
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('Run without a sandbox?');
    await expect(dialog).toContainText(
      'This system has no sandbox for a dry run.'
    );
    await picture(page, 'dry-run-unheld', dialog);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(fitsOn(page)).toBeHidden();
    await begin(page, notebook, 'T4');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await expect(fitsOn(page)).toContainText('Needed at its peak', {
      timeout: 120_000
    });
  });

  test('should run it with values where a line needs one', async ({
    open,
    page
  }) => {
    const notebook = await open(
      notebookOf([
        'import torch',
        'n = torch.ones(64, device="cuda").sum().int().item()\nx = torch.ones(n, device="cuda")'
      ])
    );
    await begin(page, notebook, 'T4');
    const section = fitsOn(page);
    await section
      .getByRole('button', { name: 'Run with values' })
      .click({ timeout: 120_000 });
    await expect(section).toContainText('Needed at its peak', {
      timeout: 120_000
    });
  });

  test('should make an edit that fits in the notebook, and take it back', async ({
    open,
    page
  }) => {
    const large = TRAIN.replace('16384', '131072');
    const notebook = await open(notebookOf([MODEL, large]));
    await begin(page, notebook, 'T4');
    const section = fitsOn(page);
    const tried = section.locator('li', { hasText: 'batch_size' });
    await tried
      .getByRole('button', { name: 'Apply' })
      .click({ timeout: 180_000 });
    await expect(tried.getByRole('button', { name: 'Undo' })).toBeFocused();
    const changed = await notebook.source(1);
    expect(changed).toMatch(/^batch_size = \d{5}\n/);
    await expect(tried).toContainText(changed.slice(13, 18));
    await page.setViewportSize({ width: 1024, height: 1500 });
    await picture(page, 'dry-run-tries', section);
    await tried.getByRole('button', { name: 'Undo' }).press('Enter');
    await expect.poll(() => notebook.source(1)).toBe(large);
  });

  test('should find the largest batch on a GPU, and keep it when it is ended', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([MODEL, TRAIN]));
    await begin(page, notebook, 'T4');
    const section = fitsOn(page);
    await section
      .getByRole('button', { name: 'Largest batch_size on each GPU' })
      .click({ timeout: 120_000 });
    const t4 = section.locator('li', { hasText: 'T4' });
    await expect(t4).toContainText(/largest batch_size: \d+/, {
      timeout: 180_000
    });
    await page.setViewportSize({ width: 1024, height: 1500 });
    await picture(page, 'dry-run-largest', section);
    await section.getByRole('button', { name: 'Cancel' }).click();
    await expect(section).toContainText('The dry run was ended.');
    await expect(t4).toContainText(/largest batch_size: \d+/);
    expect(await faultsOf(page, '#gpu-headroom-panel-fits-on')).toEqual([]);
  });

  test('should try the edits of a report, and make it fit with what is known', async ({
    open,
    page
  }) => {
    const notebook = await open(
      notebookOf([SIMULATE, MODEL, TRAIN.replace('16384', '32768')])
    );
    await notebook.runUpTo(2);
    const failure = reportIn(notebook.cell(2));
    await expect(failure).toContainText('Out of simulated GPU memory');
    await failure.getByRole('button', { name: 'Try these first' }).click();
    await expect(failure).toContainText('An edit is tried');
    await expect(failure).toContainText(
      /Tried on a simulated GPU with \d+: fits, peak [\d.]+ GiB of [\d.]+ GiB/,
      { timeout: 180_000 }
    );
    await expect(failure).toContainText('The edits were tried', {
      timeout: 180_000
    });
    await page.setViewportSize({ width: 1024, height: 1500 });
    await picture(page, 'try-these-first', failure);
    const [, number = ''] =
      /simulated GPU with (\d+): fits/.exec(await failure.innerText()) ?? [];
    await failure.getByRole('button', { name: 'Make it fit' }).click();
    await expect(page.locator('.Toastify__toast')).toContainText(
      `batch_size = ${number} fits`,
      { timeout: 120_000 }
    );
    expect(await notebook.source(2)).toContain(`batch_size = ${number}`);
  });
});
