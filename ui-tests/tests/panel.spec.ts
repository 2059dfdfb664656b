import type { Locator, Page } from '@playwright/test';

import { expect, test } from './application';
import { notebookOf, SIMULATE } from './cells';
import { picture } from './pictures';
import { gauge, popup, sizeOf } from './surfaces';

/** Width of the one layer of the model, and how many rows go through it at once. */
const WIDTH = 8192;
const BATCH = 3072;
const STEPS = 3;

/** A training step, then losses that are collected with their graphs. */
const TRAIN = `import torch
from torch import nn

model = nn.Linear(${WIDTH}, ${WIDTH}).cuda()
optimizer = torch.optim.AdamW(model.parameters())
model(torch.randn(1, ${WIDTH}, device="cuda")).sum().backward()
optimizer.step()

history = []
for step in range(${STEPS}):
    batch = torch.randn(${BATCH}, ${WIDTH}, device="cuda")
    history.append(model(batch).square().mean())`;

const WAIT_AND_HOLD = `import time

held = torch.empty(2**30, dtype=torch.uint8, device="cuda")
time.sleep(6)`;

const FAIL = `def fill():
    chunk = torch.empty(2**30, dtype=torch.uint8, device="cuda")
    torch.empty(2**33, dtype=torch.uint8, device="cuda")


fill()`;

/** Names enough to fill a list. */
const MANY = `import torch

held = {
    f"embeddings_of_validation_set_{number}": torch.empty(2**25, dtype=torch.uint8, device="cuda")
    for number in range(12)
}
globals().update(held)
del held`;

/** Windows manages the memory of this GPU: its driver tells no memory by process. */
const WINDOWS = `import gpu_headroom.system
from gpu_simulator import driver, simulation

gpu_headroom.system.has_wddm = lambda: True
simulation.Library = lambda source: driver.Library(source, "unmeasured")
gpu_headroom.simulate("4 GiB", compute="meta", outside="1.5 GiB")

import torch

held = torch.empty(2**30, dtype=torch.uint8, device="cuda")`;

const WEIGHTS_BYTES = 4 * (WIDTH * WIDTH + WIDTH);
const BATCH_BYTES = 4 * BATCH * WIDTH;

/** What theory says of the holders; the last batch has a name of its own. */
const HELD: Record<string, number> = {
  model: 2 * WEIGHTS_BYTES,
  optimizer: 2 * WEIGHTS_BYTES,
  history: (2 * STEPS - 1) * BATCH_BYTES,
  batch: BATCH_BYTES
};

function panelOf(page: Page): Locator {
  return page.locator('#gpu-headroom-panel');
}

/** The row of a holder. */
function row(page: Page, name: string): Locator {
  return panelOf(page).locator('[role=row][data-id]', {
    has: page.locator('.jp-mod-name', { hasText: new RegExp(`^${name}$`) })
  });
}

/** The title of a section. */
function title(page: Page, name: string): Locator {
  return panelOf(page).locator('.jp-AccordionPanel-title', {
    hasText: name
  });
}

/** Make the panel so wide. */
async function widen(page: Page, width: number): Promise<void> {
  const bar = page.locator('#jp-right-stack');
  const box = await bar.boundingBox();
  if (!box) {
    throw new Error('The side bar is not shown.');
  }
  await page.mouse.move(box.x - 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - width - 2, box.y + 300);
  await page.mouse.up();
}

/** How many rows of the list are whole on screen. */
function rowsInSight(page: Page): Promise<number> {
  return panelOf(page)
    .locator('#gpu-headroom-panel-holders')
    .evaluate(list => {
      const { top, bottom } = list.getBoundingClientRect();
      return [...list.querySelectorAll('[data-id]')]
        .map(row => row.getBoundingClientRect())
        .filter(row => row.top >= top && row.bottom <= bottom + 1).length;
    });
}

/** The sizes that do not show whole. */
function cutSizes(page: Page): Promise<string[]> {
  return panelOf(page)
    .locator('.jp-mod-size, .jp-mod-headroom, .jp-GpuHeadroom-total')
    .evaluateAll(sizes =>
      sizes
        .filter(size => {
          const { right } = size.getBoundingClientRect();
          const panel = size.closest('#gpu-headroom-panel');
          return (
            size.scrollWidth > size.clientWidth + 1 ||
            right > (panel?.getBoundingClientRect().right ?? 0)
          );
        })
        .map(size => size.textContent ?? '')
    );
}

/** The names that reach into their size. */
function namesInTheWay(page: Page): Promise<string[]> {
  return panelOf(page)
    .locator('.jp-GpuHeadroom-gridRow[data-id]')
    .evaluateAll(rows =>
      rows
        .map(row => [
          ...row.querySelectorAll('.jp-GpuHeadroom-cut, .jp-mod-size')
        ])
        .filter(([name, size]) => {
          const end =
            name?.lastElementChild?.getBoundingClientRect().right ?? 0;
          return size && end > size.getBoundingClientRect().left;
        })
        .map(([name]) => name?.textContent ?? '')
    );
}

test.describe('The panel', () => {
  test('should list what a training holds, and say who holds it', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, TRAIN]));
    await notebook.runUpTo(1);
    await gauge(page).click();
    await popup(page).getByRole('button', { name: 'Open panel' }).click();
    const panel = panelOf(page);
    await expect(panel).toBeVisible();
    await expect(popup(page)).toBeHidden();
    await expect(panel).toContainText('Simulated GPU 0');

    for (const [name, bytes] of Object.entries(HELD)) {
      await expect(row(page, name)).toContainText(sizeOf(bytes));
    }
    await expect(row(page, 'not attributed')).toBeVisible();
    await expect(panel).toContainText(/Named .+ = 1\.\d GiB in use\./);

    await row(page, 'history').click();
    await expect(panel).toContainText('retained only by the autograd graph');
    await panel
      .getByRole('button', { name: 'What refers to it?' })
      .last()
      .click();
    await expect(panel).toContainText(/history › list › item \d/);
    await picture(page, 'panel');
  });

  test('should give its room to the list, from 250 to 560 pixels wide', async ({
    open,
    page
  }) => {
    await page.setViewportSize({ width: 1366, height: 768 });
    const notebook = await open(notebookOf([SIMULATE, TRAIN, MANY]));
    await notebook.runUpTo(2);
    await notebook.execute('gpu-headroom:show-panel');
    await expect(row(page, 'not attributed')).toBeAttached();
    await expect(panelOf(page)).toContainText(
      'No other program uses this GPU.'
    );
    for (const width of [250, 340, 560]) {
      await widen(page, width);
      // Whole ones: the last may be cut.
      await expect
        .poll(() => rowsInSight(page), { message: `${width} px wide` })
        .toBeGreaterThanOrEqual(4);
      expect(await cutSizes(page), `${width} px wide`).toEqual([]);
      expect(await namesInTheWay(page), `${width} px wide`).toEqual([]);
    }
    await expect(panelOf(page).locator('.jp-GpuHeadroom-plot')).toHaveAttribute(
      'height',
      '96'
    );
  });

  test('should open a section, and cut no title', async ({ open, page }) => {
    await page.setViewportSize({ width: 1366, height: 720 });
    const notebook = await open(notebookOf([SIMULATE, TRAIN]));
    await notebook.runUpTo(1);
    const freeable = title(page, 'Can be freed');
    const show = (): Promise<void> =>
      page.evaluate(() =>
        window.jupyterapp.commands.execute('gpu-headroom:show-panel', {
          section: 'freeable'
        })
      );
    await show();
    const free = panelOf(page).getByRole('button', { name: 'Free selected' });
    await expect(free).toBeInViewport({ ratio: 1 });
    await freeable.press('Enter');
    await expect(freeable).toHaveAttribute('aria-expanded', 'false');
    await show();
    await expect(freeable).toHaveAttribute('aria-expanded', 'true');
    await expect(free).toBeInViewport({ ratio: 1 });
    const cut = await panelOf(page)
      .locator('.lm-AccordionPanel-titleLabel')
      .evaluateAll(labels =>
        labels
          .filter(
            label =>
              label.scrollWidth > label.clientWidth ||
              label.scrollHeight > (label.parentElement?.clientHeight ?? 0)
          )
          .map(label => label.textContent)
      );
    expect(cut).toEqual([]);
  });

  test('should show first what can be freed after a failure', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, TRAIN, FAIL]));
    await notebook.runUpTo(1);
    await notebook.execute('gpu-headroom:show-panel');
    await expect(row(page, 'model')).toBeVisible();
    const top = async (name: string): Promise<number> =>
      (await title(page, name).boundingBox())?.y ?? NaN;
    expect(await top('Timeline')).toBeLessThan(await top('Can be freed'));
    await notebook.run(2);
    await expect
      .poll(async () => (await top('Timeline')) - (await top('Can be freed')))
      .toBeGreaterThan(0);
  });

  test('should keep the last reading while a cell runs', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, TRAIN, WAIT_AND_HOLD]));
    await notebook.runUpTo(1);
    await notebook.execute('gpu-headroom:show-panel');
    await expect(row(page, 'model')).toBeVisible();

    await notebook.start(2);
    await expect(panelOf(page)).toContainText(
      /As of In \[2\], .+ Measured when the running cell ends\./
    );
    await expect(panelOf(page)).toContainText('after In [2]');
    await expect(row(page, 'model')).toBeVisible();
    await expect(row(page, 'held')).toHaveCount(0);

    await notebook.waitUntilIdle();
    await expect(row(page, 'held')).toContainText('1.0 GiB');
    await expect(panelOf(page)).toContainText('As of In [3]');
  });

  test('should show what the traceback of a failed cell holds', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, TRAIN, FAIL]));
    await notebook.runUpTo(1);
    await notebook.execute('gpu-headroom:show-panel');
    await notebook.run(2);
    const traceback = row(page, 'Traceback of In \\[3\\]');
    await expect(traceback).toContainText('1.0 GiB');
  });

  test('should say why there is nothing to show', async ({ open, page }) => {
    const notebook = await open(notebookOf(['answer = 42', 'import torch']));
    await notebook.run(0);
    await notebook.execute('gpu-headroom:show-panel');
    await expect(panelOf(page)).toContainText('Nothing on the GPU yet.');
    await notebook.run(1);
    await expect(panelOf(page)).toContainText('No GPU.');
    await expect(panelOf(page)).toContainText('gpu_headroom.simulate()');
  });

  test('should say that Windows does not tell what others hold', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([WINDOWS]));
    await notebook.run(0);
    await notebook.execute('gpu-headroom:show-panel');
    const processes = panelOf(page).locator('details', {
      hasText: 'Processes, as the driver lists them'
    });
    await processes.locator('summary').click();
    await expect(processes).toContainText('simulated-programnot measured');
    await expect(panelOf(page)).toContainText(
      'Other programsnot available on Windows'
    );
    await picture(page, 'windows', panelOf(page));
  });

  test("should save PyTorch's memory snapshot and say where", async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, TRAIN]));
    await notebook.runUpTo(1);
    await notebook.execute('gpu-headroom:save-memory-snapshot');
    const notice = page.locator('.Toastify__toast', {
      hasText: 'Memory snapshot saved'
    });
    await expect(notice).toContainText('.pickle (');
    const [file = ''] =
      /gpu-headroom-[\w-]+\.pickle/.exec((await notice.textContent()) ?? '') ??
      [];
    expect(
      await notebook.value<boolean>(
        `"segments" in __import__("pickle").load(open("${file}", "rb"))`
      )
    ).toBe(true);
  });
});
