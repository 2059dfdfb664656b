import type { Locator, Page } from '@playwright/test';

import { expect, test } from './application';
import { DISPLAY, HOLD, LINK, notebookOf, SIMULATE, WAIT } from './cells';
import type { Notebook } from './notebook';
import { reportIn, openList, toast } from './surfaces';

const FREEING = 'Freeing GPU memory…';
const STOPPING = 'Stopping after this step…';
const CANCELLED = 'Canceled: none of your variables was deleted.';

/** Fails for want of memory, and its traceback holds one GiB. */
const FAIL = `def fill():
    chunk = torch.empty(2**30, dtype=torch.uint8, device="cuda")
    torch.empty(2**40, dtype=torch.uint8, device="cuda")


fill()`;

/** A training that is slow to say what it has learnt, and fails. */
const TRAIN = `import time

import torch
from torch import nn


class Slow(nn.Sequential):
    def state_dict(self, *args, **kwargs):
        time.sleep(3)
        return super().state_dict(*args, **kwargs)


model = Slow(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for batch_size in [8, 16, 2**22]:
    loss = model(torch.randn(batch_size, 64, device="cuda")).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()`;

const COMPUTES = SIMULATE.replace('4 GiB', '1 GiB').replace('meta', 'cpu');

/** All notifications, whoever's they are. */
const toasts = (page: Page): Locator => page.locator('.Toastify__toast');

const cancel = (place: Locator): Promise<void> =>
  place.getByRole('button', { name: 'Cancel', exact: true }).click();

/** Press the button in the toolbar of a cell. */
async function release(notebook: Notebook, index: number): Promise<void> {
  await notebook.select(index);
  await notebook
    .cell(index)
    .getByRole('button', { name: /^Release GPU/ })
    .click();
}

test.describe('A release that takes a moment', () => {
  test('should be told in one notification', async ({ open, page }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD, DISPLAY]));
    await notebook.runUpTo(2);
    await release(notebook, 2);
    await expect(toast(page)).toContainText('Freed 1.0 GiB');
    await expect(toasts(page)).toHaveCount(1);
  });
});

test.describe('A release that takes seconds', () => {
  test('should say so, and free nothing when it is cancelled', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD, LINK, DISPLAY]));
    await notebook.runUpTo(3);
    const before = await notebook.inUse();
    await release(notebook, 3);
    await expect(toast(page)).toContainText(FREEING);
    await cancel(toast(page));
    await expect(toast(page)).toContainText(CANCELLED);
    await expect(toasts(page)).toHaveCount(1);
    expect(await notebook.inUse()).toBe(before);
    expect(await notebook.value<boolean>('4 in Out')).toBe(true);

    await release(notebook, 3);
    const freed = toasts(page).filter({ hasText: 'Freed 1.0 GiB' });
    await expect(freed).toHaveCount(1);
    await expect(toast(page).filter({ hasText: FREEING })).toHaveCount(0);
    expect(await notebook.inUse()).toBe(before - 2 ** 30);
  });

  test('should be told in a notification, whatever is shown by then', async ({
    open,
    page
  }) => {
    const notebook = await open(
      notebookOf([SIMULATE, HOLD, DISPLAY, 'import time\ntime.sleep(4)'])
    );
    await notebook.runUpTo(2);
    await notebook.start(3);
    const list = await openList(page);
    await list.getByRole('button', { name: 'Free when it finishes' }).click();
    await expect(toast(page)).toContainText(
      'Queued. Starts when In [4] finishes.'
    );
    await expect(toast(page)).toContainText('Freed 1.0 GiB');
    await expect(toasts(page)).toHaveCount(1);
  });

  test('should say so on its report, and nowhere else', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD, LINK, FAIL]));
    await notebook.runUpTo(3);
    const failure = reportIn(notebook.cell(3));
    await expect(failure).toContainText('Out of simulated GPU memory');
    const before = await notebook.inUse();
    await failure.getByRole('button', { name: 'Free now' }).click();
    await expect(failure).toContainText('Freeing GPU memory…');
    await cancel(failure);
    await expect(failure).toContainText('The release was canceled.');
    await expect(failure).not.toContainText('Freeing GPU memory');
    await expect(
      failure.getByRole('button', { name: 'Free now' })
    ).toBeEnabled();
    await expect(toasts(page)).toHaveCount(0);
    expect(await notebook.inUse()).toBe(before);
  });
});

test.describe('The search for who holds an object', () => {
  test('should say what it waits for, and end when it is cancelled', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD, WAIT]));
    await notebook.runUpTo(1);
    await notebook.execute('gpu-headroom:show-panel');
    const panel = page.locator('.jp-GpuHeadroom-panel');
    const row = panel.getByRole('row', { name: /^held/ });
    await row.first().click();
    await notebook.start(2);
    const detail = panel.locator('.jp-GpuHeadroom-holderDetail');
    await detail.getByRole('button', { name: 'What refers to it?' }).click();
    await expect(detail).toContainText(
      'Starts when the running cell finishes.'
    );
    await cancel(detail);
    await expect(detail).toContainText('Canceled: not measured.');
    await expect(detail).not.toContainText('Starts when the running');
    await expect(toasts(page)).toHaveCount(0);
  });
});

test.describe('Saving a training', () => {
  test('should end after the step that cannot be broken off', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([COMPUTES, TRAIN]));
    await notebook.runUpTo(1);
    const failure = reportIn(notebook.cell(1));
    await expect(failure).toContainText('Save model and optimizer state');
    const more = failure.locator('details', { hasText: 'Save model' }).first();
    if ((await more.count()) > 0) {
      await more.locator('summary').first().click();
    }
    await failure.getByRole('button', { name: 'Save…' }).click();
    await expect(failure).toContainText('Saving model and optimizer state…');
    await cancel(failure);
    await expect(failure).toContainText(STOPPING);
    await expect(failure).toContainText('Canceled: nothing was saved.');
    await expect(failure).not.toContainText(STOPPING);
    await expect(toasts(page)).toHaveCount(0);
    expect(await notebook.count()).toBe(2);
    expect(
      await notebook.value<string[]>(
        '[str(each) for each in __import__("pathlib").Path().glob("gpu-headroom-*")]'
      )
    ).toEqual([]);
  });
});
