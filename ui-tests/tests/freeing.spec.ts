import { expect, test } from './application';
import { faultsOf } from './axe';
import { notebookOf, SIMULATE } from './cells';
import { picture } from './pictures';
import { item, openList, sizeOf, toast } from './surfaces';

const OUTPUT_BYTES = 2 ** 29;
const FAILED_BYTES = 2 ** 30;
const KEPT_BYTES = 3 * 2 ** 28;

/** A value that no name holds, one that has a name, and a cell that fails. */
const MAKE = `import torch

kept = torch.empty(${KEPT_BYTES}, dtype=torch.uint8, device="cuda")
torch.empty(${OUTPUT_BYTES}, dtype=torch.uint8, device="cuda")`;

const FAIL = `def fill():
    chunk = torch.empty(${FAILED_BYTES}, dtype=torch.uint8, device="cuda")
    torch.empty(2**40, dtype=torch.uint8, device="cuda")


fill()`;

const WAIT = `import time

time.sleep(6)`;

/** Width of the one layer of a model, and what it takes to train it. */
const WIDTH = 4096;
const MODEL_BYTES = 3 * 4 * WIDTH * WIDTH;

/** A model with gradients and the momentum of its optimizer. */
const TRAIN = `import torch

model = torch.nn.Linear(${WIDTH}, ${WIDTH}, bias=False).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
model(torch.ones(8, ${WIDTH}, device="cuda")).sum().backward()
optimizer.step()`;

const GO_ON = `model(torch.ones(8, ${WIDTH}, device="cuda")).sum().backward()
optimizer.step()
print("trained", "on", model.weight.device)`;

test.describe('Freeing', () => {
  test('should free what is checked, and say what came back', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MAKE, FAIL]));
    await notebook.runUpTo(2);
    const before = await notebook.inUse();
    const list = await openList(page);
    const traceback = item(list, /Traceback/);
    const output = item(list, 'Out[2]');
    await expect(traceback).toContainText(sizeOf(FAILED_BYTES));
    await expect(output).toContainText(sizeOf(OUTPUT_BYTES));
    await expect(traceback.getByRole('checkbox')).toBeChecked();
    await expect(
      item(list, /^Variable kept/).getByRole('checkbox')
    ).not.toBeChecked();
    await picture(page, 'freeing');

    const both = sizeOf(FAILED_BYTES + OUTPUT_BYTES);
    await output.getByRole('checkbox').uncheck();
    const free = list.getByRole('button', { name: /^Free selected/ });
    await expect(free).toContainText(sizeOf(FAILED_BYTES));
    await output.getByRole('checkbox').check();
    await expect(free).toContainText(both);
    await free.click();
    await expect(toast(page)).toContainText(`Freed ${both}: headroom`);
    expect(before - (await notebook.inUse())).toBe(FAILED_BYTES + OUTPUT_BYTES);
    expect(await notebook.value<boolean>('"kept" in globals()')).toBe(true);
    await expect(item(list, /Traceback/)).toHaveCount(0);
  });

  test('should delete a name only when the person agrees', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MAKE]));
    await notebook.runUpTo(1);
    const before = await notebook.inUse();
    const list = await openList(page);
    await item(list, 'Out[2]').getByRole('checkbox').uncheck();
    await item(list, /^Variable kept/)
      .getByRole('checkbox')
      .check();
    const free = list.getByRole('button', { name: /^Free selected/ });
    const dialog = page.locator('.jp-Dialog');

    await free.click();
    await expect(dialog).toContainText('Delete kept?');
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
    expect.soft(await faultsOf(page, '.jp-Dialog')).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(list).toBeVisible();
    expect(await notebook.inUse()).toBe(before);

    await free.click();
    await dialog.getByRole('button', { name: 'Delete kept' }).click();
    await expect(toast(page)).toContainText(`Freed ${sizeOf(KEPT_BYTES)}`);
    expect(before - (await notebook.inUse())).toBe(KEPT_BYTES);
    expect(await notebook.value<boolean>('"kept" in globals()')).toBe(false);
  });

  test('should wait for a running cell, and be taken back', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MAKE, FAIL, WAIT]));
    await notebook.runUpTo(2);
    await notebook.start(3);
    const list = await openList(page);
    await list.getByRole('button', { name: 'Free when it finishes' }).click();
    await expect(list).toContainText('Starts when In [4] finishes.');
    await list.getByRole('button', { name: 'Cancel freeing' }).click();
    await expect(toast(page)).toContainText('Canceled');
    await list.getByRole('button', { name: 'Free when it finishes' }).click();
    await expect(toast(page).last()).toContainText(
      `Freed ${sizeOf(FAILED_BYTES + OUTPUT_BYTES)}`
    );
  });

  test('should insert exactly what is checked as a cell that frees it', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MAKE, FAIL]));
    await notebook.runUpTo(2);
    const before = await notebook.inUse();
    const list = await openList(page);
    await item(list, 'Out[2]').getByRole('checkbox').uncheck();
    await list.getByRole('button', { name: 'Insert as cell' }).click();
    await expect(notebook.cell(3)).toBeVisible();
    await expect.poll(() => notebook.count()).toBe(4);
    await notebook.run(3);
    expect(before - (await notebook.inUse())).toBe(FAILED_BYTES);
  });

  test('should move a model to the CPU, and back at one press', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, TRAIN, GO_ON]));
    await notebook.runUpTo(1);
    const before = await notebook.inUse();
    const size = sizeOf(MODEL_BYTES);
    const list = await openList(page);
    const freed = toast(page, `Freed ${size}`);
    const back = toast(page, 'All tensors of model (3) are back on the GPU.');
    const moveOut = async (): Promise<void> => {
      const model = item(list, /^Move model to the CPU/);
      await expect(model).toContainText(size);
      await model.getByRole('checkbox').check();
      await list
        .getByRole('button', { name: `Free selected (${size})` })
        .click();
      const dialog = page.locator('.jp-Dialog');
      await expect(dialog).toContainText('Move model to the CPU?');
      await dialog.getByRole('button', { name: 'Move to CPU' }).click();
      await expect(freed).not.toHaveCount(0);
      await expect
        .poll(async () => before - (await notebook.inUse()))
        .toBe(MODEL_BYTES);
    };
    const expectBack = async (): Promise<void> => {
      await expect(back).not.toHaveCount(0);
      await expect.poll(() => notebook.inUse()).toBe(before);
    };

    await moveOut();
    await freed.getByRole('button', { name: 'Undo' }).first().click();
    await expectBack();

    await moveOut();
    const moved = item(list, 'Move model back to the GPU');
    await expect(moved).toContainText(`Takes ${size} of GPU memory.`);
    await picture(page, 'moving-moved');
    await moved.getByRole('button', { name: 'Move back' }).click();
    await expectBack();
    await notebook.run(2);
    await expect(notebook.cell(2)).toContainText('trained on cuda:0');
  });

  test('should free from the panel, and by the row of a holder', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MAKE, FAIL]));
    await notebook.runUpTo(2);
    await notebook.execute('gpu-headroom:show-panel');
    const panel = page.locator('#gpu-headroom-panel');
    const notice = page.locator('.Toastify__toast');
    const both = sizeOf(FAILED_BYTES + OUTPUT_BYTES);
    await expect(item(panel, /Traceback/)).toBeVisible();
    await panel
      .getByRole('button', { name: `Free selected (${both})` })
      .click();
    await expect(notice).toContainText(`Freed ${both}: headroom`);
    await expect(item(panel, /Traceback/)).toHaveCount(0);
    await expect(item(panel, 'Out[2]')).toHaveCount(0);
    await expect(
      item(panel, 'Unused cache of PyTorch').getByRole('checkbox')
    ).not.toBeChecked();

    const row = panel.locator('[role=row][data-id]', {
      has: page.locator('.jp-mod-name', { hasText: /^kept$/ })
    });
    await row.focus();
    await page.keyboard.press('Delete');
    await page
      .locator('.jp-Dialog')
      .getByRole('button', { name: 'Delete kept' })
      .click();
    await expect(notice.last()).toContainText(`Freed ${sizeOf(KEPT_BYTES)}`);
    await expect(row).toHaveCount(0);
    expect(await notebook.inUse()).toBe(0);
  });
});
