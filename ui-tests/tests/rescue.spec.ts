import type { Locator } from '@playwright/test';

import { expect, test } from './application';
import { notebookOf } from './cells';
import type { Notebook } from './notebook';
import { picture } from './pictures';
import { reportIn } from './surfaces';

/** A simulated GPU that computes: what is saved has values. */
const SIMULATE = `import gpu_headroom

gpu_headroom.simulate("1 GiB", compute="cpu")`;

const MODEL = `import torch
from torch import nn

model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)).cuda()
optimizer = torch.optim.AdamW(model.parameters())


def train(batch_size):
    loss = model(torch.randn(batch_size, 64, device="cuda")).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()`;

const TRAIN = `for batch_size in [8, 16, 2**22]:
    train(batch_size)`;

/** What was trained, as texts: a new optimizer has no moments yet. */
const WEIGHTS = 'str([each.tolist() for each in model.parameters()])';
const MOMENTS =
  'str([each["exp_avg"].tolist() for each in optimizer.state.values()])';

/** Run out of memory in the last cell, and show all that the report offers. */
async function fail(notebook: Notebook): Promise<Locator> {
  await notebook.runUpTo(2);
  const failure = reportIn(notebook.cell(2));
  await expect(failure).toContainText('Out of simulated GPU memory');
  await expect(failure).toContainText('Save model and optimizer state');
  const more = failure.locator('details', { hasText: 'Save model' }).first();
  if ((await more.count()) > 0) {
    await more.locator('summary').first().click();
  }
  return failure;
}

test.describe('A training that failed', () => {
  test('should be saved by a click, and go on after a restart', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    const failure = await fail(notebook);
    const weights = await notebook.value<string>(WEIGHTS);
    const moments = await notebook.value<string>(MOMENTS);
    await failure.getByRole('button', { name: 'Save…' }).click();
    await expect(failure).toContainText(/Saved [\d.]+ KiB to .*\.pt/);
    await expect(failure).toContainText('The cell below loads it');
    await expect(failure.getByRole('button', { name: 'Save…' })).toHaveCount(0);
    await picture(page, 'rescue');
    await expect.poll(() => notebook.count()).toBe(4);
    expect(await notebook.source(3)).toContain('optimizer.load_state_dict(');

    // Here training may have gone on: nothing is loaded over it.
    await notebook.run(3);
    await expect(notebook.cell(3)).toContainText('Nothing was loaded');

    await notebook.restart();
    await notebook.runUpTo(1);
    expect(await notebook.value<string>(WEIGHTS)).not.toBe(weights);
    await notebook.run(3);
    await expect(notebook.cell(3)).toContainText('Loaded model optimizer');
    expect(await notebook.value<string>(WEIGHTS)).toBe(weights);
    expect(await notebook.value<string>(MOMENTS)).toBe(moments);
    await notebook.edit(2, 'train(8)\nprint("went on")');
    await notebook.run(2);
    await expect(notebook.cell(2)).toContainText('went on');
    await notebook.value(
      '[each.unlink() for each in __import__("pathlib").Path().glob("gpu-headroom-*.pt")]'
    );
  });

  test('should be left alone while a cell runs', async ({ open }) => {
    const notebook = await open(
      notebookOf([SIMULATE, MODEL, TRAIN, 'import time; time.sleep(300)'])
    );
    const failure = await fail(notebook);
    await notebook.start(3);
    await failure.getByRole('button', { name: 'Save…' }).click();
    await expect(failure).toContainText(
      'A cell is running: the training can be saved when it has ended.'
    );
    await notebook.execute('notebook:interrupt-kernel');
    await notebook.waitUntilIdle();
    expect(await notebook.count()).toBe(4);
  });
});
