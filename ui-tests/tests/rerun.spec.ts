import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Locator, Page } from '@playwright/test';

import { expect, test } from './application';
import { notebookOf, SIMULATE } from './cells';
import type { Notebook } from './notebook';
import { picture } from './pictures';
import { reportIn } from './surfaces';

/** One cell makes the model, trains it for a step, and runs out of memory beside the optimizer's state. */
const TRAIN = `import torch
from torch import nn

batch_size = 20000
model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(40)]).cuda()
opt = torch.optim.AdamW(model.parameters())
history = []
for step in range(4):
    loss = model(torch.randn(batch_size, 1024, device="cuda")).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append("a step")
print("trained with", batch_size)`;

/** A report that computes, so that what is saved has values, and a training that is small enough. */
const COMPUTES = `import gpu_headroom

gpu_headroom.simulate("704 MiB", compute="cpu")`;

const SMALL = TRAIN.replace('20000', '5000').replace('range(40)', 'range(8)');

const WAIT = 'import time; time.sleep(300)';

const LOST =
  'What model, opt learned in training is lost: In [2] trains again from the start.';

/** What is there of the training: its objects, and the steps they have made. */
const TRAINED =
  '[id(model), id(opt), len(history), [int(each["step"]) for each in opt.state.values()]]';

const BUTTONS = ['Apply and re-run', 'Make it fit'] as const;

/** The notification that tells how *Make it fit* goes. */
function notice(page: Page): Locator {
  return page.locator('.Toastify__toast');
}

async function fail(notebook: Notebook): Promise<Locator> {
  await notebook.runUpTo(1);
  const failure = reportIn(notebook.cell(1));
  await expect(failure).toContainText('Out of simulated GPU memory');
  return failure;
}

/** Press a button, and return the question that comes. */
async function ask(
  page: Page,
  failure: Locator,
  name: (typeof BUTTONS)[number]
): Promise<Locator> {
  await failure.getByRole('button', { name }).first().click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(LOST);
  await expect(dialog).toContainText(/Deleted first: .*model, opt.* [GM]iB\)/);
  return dialog;
}

const agree = (dialog: Locator): Promise<void> =>
  dialog.getByRole('button', { name: 'Delete and run again' }).click();

/** What a button has come to, shown on the report or in a notification. */
const told = (
  page: Page,
  failure: Locator,
  name: (typeof BUTTONS)[number]
): Locator => (name === 'Make it fit' ? notice(page).last() : failure);

test.describe('A trained model', () => {
  test('should outlive a question that is cancelled', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, TRAIN]));
    const failure = await fail(notebook);
    const before = await notebook.value(TRAINED);
    for (const name of BUTTONS) {
      const dialog = await ask(page, failure, name);
      const cancel = dialog.getByRole('button', { name: 'Cancel' });
      await expect(cancel).toBeFocused();
      await picture(page, 'rerun');
      await cancel.click();
      await expect(dialog).toHaveCount(0);
      expect(await notebook.value(TRAINED)).toEqual(before);
      expect(await notebook.source(1)).toBe(TRAIN);
    }
    await expect(notice(page)).toContainText('Canceled: nothing was changed.');
  });

  test('should be saved from the question, which then is asked again', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([COMPUTES, SMALL]));
    const failure = await fail(notebook);
    const before = await notebook.value(TRAINED);
    const question = await ask(page, failure, 'Make it fit');
    const save = question.getByRole('button', {
      name: 'Save model and optimizer first'
    });
    await save.click();
    const again = page.getByRole('dialog');
    await expect(again).toContainText(
      /Saved [\d.]+ MiB to .*\.pt: model, opt\./
    );
    await expect(again).toContainText(LOST);
    await expect(save).toHaveCount(0);
    expect(await notebook.value(TRAINED)).toEqual(before);
    await picture(page, 'rerun-saved');
    await agree(again);
    await expect(notice(page).last()).toContainText(/batch_size = \d+ fits/);
    expect(await notebook.value('len(history)')).toBe(4);
  });

  test('should outlive what is cancelled while a cell runs', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, TRAIN, WAIT]));
    const failure = await fail(notebook);
    const before = await notebook.value(TRAINED);
    await notebook.start(2);
    for (const name of BUTTONS) {
      await failure.getByRole('button', { name }).first().click();
      const where = told(page, failure, name);
      await expect(where).toContainText('Starts when In [3] finishes.');
      await where.getByRole('button', { name: 'Cancel' }).click();
      await expect(where).not.toContainText('Starts when');
    }
    await expect(notice(page)).toContainText('Canceled: nothing was changed.');
    await notebook.execute('notebook:interrupt-kernel');
    await notebook.waitUntilIdle();
    expect(await notebook.value(TRAINED)).toEqual(before);
    expect(await notebook.source(1)).toBe(TRAIN);
  });

  test('should go by a click on its sentence, also in a cell that was moved', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, TRAIN, 'kept = 1']));
    const failure = await fail(notebook);
    const dialog = await ask(page, failure, 'Make it fit');
    await page.evaluate(() => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      panel.model?.sharedModel.moveCell(1, 2);
    });
    await agree(dialog);
    await expect(notice(page)).toContainText(/batch_size = \d+ fits/);
    await expect(notebook.cell(2)).toContainText(/trained with \d+/);
    expect(await notebook.source(2)).not.toBe(TRAIN);
    expect(await notebook.value('len(history)')).toBe(4);
  });

  for (const name of BUTTONS) {
    test(`should outlive a cell that is edited or deleted meanwhile: ${name}`, async ({
      open,
      page
    }) => {
      const notebook = await open(notebookOf([SIMULATE, TRAIN, 'kept = 1']));
      const failure = await fail(notebook);
      const before = await notebook.value(TRAINED);
      const changed = 'A cell that would run was edited or deleted meanwhile.';
      const dialog = await ask(page, failure, name);
      const edited = TRAIN.replace('range(4)', 'range(5)');
      await notebook.edit(1, edited);
      await agree(dialog);
      await expect(told(page, failure, name)).toContainText(changed);
      expect(await notebook.source(1)).toBe(edited);
      expect(await notebook.value(TRAINED)).toEqual(before);

      await notebook.edit(1, TRAIN);
      const again = await ask(page, failure, name);
      await page.evaluate(() => {
        const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
        panel.model?.sharedModel.deleteCell(1);
      });
      await agree(again);
      await expect(page.getByRole('dialog')).toHaveCount(0);
      if (name === 'Make it fit') {
        await expect(notice(page).last()).toContainText(changed);
      }
      expect(await notebook.value(TRAINED)).toEqual(before);
      expect(await notebook.count()).toBe(2);
    });
  }

  test('should not be asked for in a restarted kernel', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, TRAIN]));
    const failure = await fail(notebook);
    const dialog = await ask(page, failure, 'Make it fit');
    await notebook.restart();
    await agree(dialog);
    await expect(notice(page)).toContainText(
      'The kernel was restarted meanwhile, or does not answer.'
    );
    expect(await notebook.source(1)).toBe(TRAIN);
    expect(await notebook.value('"model" in globals()')).toBe(false);
  });

  test('should outlive its notebook, which is closed meanwhile', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, TRAIN]));
    const failure = await fail(notebook);
    const before = await notebook.value(TRAINED);
    const dialog = await ask(page, failure, 'Make it fit');
    await page.evaluate(async () => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      await panel.context.save();
      panel.dispose();
    });
    await agree(dialog);
    await expect(notice(page)).toContainText('The notebook was closed.');
    await notebook.execute('docmanager:open', { path: notebook.path });
    await notebook.waitUntilOpen();
    expect(await notebook.value(TRAINED)).toEqual(before);
    expect(await notebook.source(1)).toBe(TRAIN);
  });
});
