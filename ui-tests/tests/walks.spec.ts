import type { Locator, Page } from '@playwright/test';

import { expect, test } from './application';
import { DISPLAY, HOLD, LINK, notebookOf, SIMULATE } from './cells';
import type { Notebook } from './notebook';
import { picture } from './pictures';
import { item, openList } from './surfaces';

/** Counts the walks of the helper from now on. */
const COUNT = `from gpu_headroom.concurrency.turns import Turn

walks, walking = [], Turn.walking


def counted(turn):
    walks.append(turn)
    return walking(turn)


Turn.walking = counted`;

/** Trains in a thread until it is told to end, all the time inside a module's call. */
const TRAIN = `import threading

import torch

model = torch.nn.Linear(256, 256).cuda()
ended = threading.Event()


class Trainer(torch.nn.Module):
    def forward(self, x):
        while not ended.is_set():
            model(x).sum().backward()


trainer = threading.Thread(
    target=Trainer(), args=[torch.ones(8, 256, device="cuda")], name="trainer"
)
trainer.start()`;

const TRAINING = 'A thread or task of yours is inside a framework (trainer)';

/** What can be freed, in the panel. */
const list = (page: Page): Locator => page.locator('.jp-GpuHeadroom-checklist');

/** The button there that ends a measurement, and the one that begins it. */
const buttonOf = (
  page: Page,
  name: string
): ReturnType<typeof page.getByRole> =>
  list(page).getByRole('button', { name, exact: true });

/** Wait until a measurement takes long enough for a word. */
async function takesLong(page: Page): Promise<void> {
  await expect(list(page)).toContainText('Measuring…');
  await expect(list(page)).toContainText(/\d s/);
}

test.describe('A walk through millions of objects', () => {
  test('should tell how long it takes, and end when it is cancelled', async ({
    open,
    page
  }) => {
    const notebook = await open(
      notebookOf([SIMULATE, HOLD, LINK, DISPLAY, 'print("an", "answer")'])
    );
    await notebook.runUpTo(3);
    await openList(page);
    await takesLong(page);
    await picture(page, 'walk', list(page));
    await buttonOf(page, 'Cancel').first().click();
    await expect(list(page)).toContainText(
      'Canceled: what can be freed was not measured.'
    );
    await buttonOf(page, 'Measure all').click();
    await takesLong(page);
  });

  test('should make way for a cell', async ({ open, page }) => {
    const notebook = await open(
      notebookOf([SIMULATE, HOLD, LINK, 'print("an", "answer")'])
    );
    await notebook.runUpTo(2);
    await openList(page);
    await takesLong(page);
    await notebook.run(3);
    await expect(notebook.cell(3)).toContainText('an answer');
    // It begins anew, and is still what the person waits for.
    await expect(list(page)).toContainText('Measuring…');
  });
});

/** How many walks there have been. */
const walks = (notebook: Notebook): Promise<number> =>
  notebook.value<number>('len(walks)');

test.describe('Beside a thread that trains', () => {
  test('should nothing be walked that nobody asked for', async ({
    open,
    page
  }) => {
    const notebook = await open(
      notebookOf([SIMULATE, HOLD, TRAIN, COUNT, DISPLAY, 'ended.set()'])
    );
    await notebook.runUpTo(4);
    await notebook.select(4);
    const release = notebook.cell(4);
    await release.getByRole('button', { name: /^Release GPU/ }).hover();
    await expect(
      release.locator('[data-command="gpu-headroom:release-memory"]')
    ).toHaveAttribute('title', new RegExp('inside a framework .*trainer'));

    expect(await walks(notebook)).toBe(0);

    await openList(page);
    await expect(list(page)).toContainText(TRAINING);
    await expect(list(page)).toContainText('is not measured');
    await expect(buttonOf(page, 'Measure all')).toBeVisible();
    await picture(page, 'walk-beside', list(page));

    await notebook.run(5);
    await expect(item(list(page), 'Out[5]')).toContainText('1.0 GiB');
  });
});
