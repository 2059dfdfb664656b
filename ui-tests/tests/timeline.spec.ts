import type { Locator, Page } from '@playwright/test';

import { expect, test } from './application';
import { HOLD, notebookOf, SIMULATE } from './cells';
import { gauge, popup } from './surfaces';

/** Four simulated GPUs, the third of which is nearly full. */
const FOUR = `import gpu_headroom

gpu_headroom.simulate("22 GiB", devices=4, compute="meta", outside="0.4 GiB")

import torch

some = torch.empty(5 * 2**30, dtype=torch.uint8, device="cuda:0")
most = torch.empty(18 * 2**30, dtype=torch.uint8, device="cuda:2")`;

/** Keeps a little more at each step, with a peak within each as training has. */
const LEAK = `import time

import torch

losses = []
for step in range(300):
    activations = torch.empty(200 * 2**20, dtype=torch.uint8, device="cuda")
    losses.append(torch.empty(40 * 2**20, dtype=torch.uint8, device="cuda"))
    del activations
    time.sleep(0.5)`;

/** A peak of two GiB, of which one stays. */
const PEAK = `import torch

kept = torch.empty(2**30, dtype=torch.uint8, device="cuda")
more = torch.empty(2**30, dtype=torch.uint8, device="cuda")
del more`;

/**
 * A stand-in for the files in which Linux counts whom it has ended for want of
 * memory, before and after a restart of the kernel.
 */
const COUNTED = `import os
import tempfile

counts = os.path.join(tempfile.mkdtemp(), "counts")
startup = os.path.join(get_ipython().profile_dir.startup_dir, f"{os.getpid()}.py")
source = f"""
import os

reads, opens, counts = [], os.open, {counts!r}


def opened(path, *args, **kwargs):
    if os.fspath(path).endswith(("memory.oom_control", "memory.events", "vmstat")):
        reads.append(path)
        path = counts
    return opens(path, *args, **kwargs)


os.open = opened
"""
with open(counts, "w") as file:
    file.write("oom_kill 4\\n")
with open(startup, "w") as file:
    file.write(f"{source}\\nos.remove({startup!r})\\n")
exec(source)`;

/** Leads from the popup to the timeline in the panel. */
async function openTimeline(page: Page): Promise<Locator> {
  await popup(page).getByRole('button', { name: 'Open panel' }).click();
  return page.locator('#gpu-headroom-panel-timeline');
}

test.describe('Several GPUs', () => {
  test('should show the fullest, and each in the panel', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([FOUR]));
    await notebook.run(0);
    await expect(gauge(page)).toContainText('Simulated GPU 2: 18.4 / 22.0 GiB');
    await expect(gauge(page)).toContainText('3.6 left');
    await expect(gauge(page)).toContainText('fullest of 4');

    await gauge(page).click();
    await expect(popup(page)).toContainText('fullest of 4');
    await popup(page).getByRole('button', { name: 'Open panel' }).click();
    const rows = page.locator('.jp-GpuHeadroom-panelDevice');
    await expect(rows).toHaveCount(4);
    await expect(rows.nth(2)).toHaveAttribute('aria-selected', 'true');
    await rows.nth(2).focus();
    await page.keyboard.press('ArrowUp');
    await expect(rows.nth(1)).toBeFocused();
    await expect(rows.nth(1)).toHaveAttribute('aria-selected', 'true');
  });
});

test.describe('The timeline', () => {
  test('should say when the GPU is full', async ({ open, page }) => {
    const notebook = await open(notebookOf([SIMULATE, LEAK]));
    await notebook.run(0);
    await notebook.start(1);
    await expect(gauge(page)).toContainText(/full in about \d/);
    await expect(gauge(page).locator('svg.jp-mod-triangle')).toBeVisible();

    await gauge(page).click();
    await expect(popup(page).locator('.jp-mod-projection')).toBeVisible();
    const timeline = await openTimeline(page);
    await expect(timeline).toContainText(
      /\+\d+ MiB per (step|second) — full in about \d/
    );
    await notebook.execute('notebook:interrupt-kernel');
    await notebook.waitUntilIdle();
    await expect(notebook.cell(1)).toContainText('KeyboardInterrupt');
    await expect(gauge(page)).not.toContainText('full in');
  });

  test('should be there again after the page was reloaded', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, PEAK]));
    await notebook.runUpTo(1);
    await notebook.execute('docmanager:save');
    await gauge(page).click();
    await expect(popup(page)).toContainText('peak 2.3 GiB in In [2]');

    await page.reload();
    await notebook.waitUntilOpen();
    await expect(gauge(page)).toContainText('Simulated GPU 1.3 / 4.0 GiB');
    await gauge(page).click();
    await expect(popup(page)).toContainText('peak 2.3 GiB in In [2]');
  });

  test('should show the whole session, or its last minutes', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, PEAK]));
    await notebook.runUpTo(1);
    await gauge(page).click();
    const timeline = await openTimeline(page);
    const chart = timeline.getByRole('slider');
    const picker = timeline.getByRole('combobox', { name: 'Time shown' });
    const start = chart
      .locator('.jp-GpuHeadroom-plot text', { hasText: /^−\d/ })
      .first();
    await expect(start).toHaveText('−30 s');
    // It grows with the session.
    await expect(start).toHaveText(/^−3[1-9] s$/);
    await expect(chart).toHaveAccessibleName('Whole session');
    await picker.selectOption('Last 5 min');
    await expect(chart).toHaveAccessibleName('Last 5 min');
  });

  test('should be read out by the keyboard', async ({ open, page }) => {
    const notebook = await open(notebookOf([SIMULATE, PEAK]));
    await notebook.runUpTo(1);
    await expect(gauge(page)).toContainText('Simulated GPU 1.3 / 4.0 GiB');
    await gauge(page).click();
    const chart = (await openTimeline(page)).getByRole('slider');
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    await expect(chart).toHaveAttribute(
      'aria-valuetext',
      /^.*−\d+ s: in tensors .*, unused cache .*, outside .*, free /
    );
    await expect(chart).toContainText('in tensors');
  });
});

test.describe('A kernel that died', () => {
  test('should be told apart from one that was restarted', async ({
    open,
    page
  }) => {
    const notebook = await open(
      notebookOf([
        `${SIMULATE}\n${HOLD}`,
        'import os, time; time.sleep(1); os.kill(os.getpid(), 9)'
      ])
    );
    await notebook.run(0);
    const notice = page.locator('.Toastify__toast', {
      hasText: 'The kernel died.'
    });
    await notebook.restart();
    await notebook.run(0);
    await expect(gauge(page)).toContainText('Simulated GPU 1.3 / 4.0 GiB');
    await expect(notice).toHaveCount(0);

    await notebook.start(1);
    await expect(notice).toContainText(
      /\d+ s before, GPU memory was 1\.3 of 4\.0 GiB, host memory [\d.]+ of [\d.]+ GiB\./
    );
    await expect(gauge(page)).toContainText('GPU idle');
  });

  test('should be said to have been ended where its next helper knows it', async ({
    open,
    page
  }) => {
    const kill = [
      'open(counts, "w").write("oom_kill 5\\n")',
      'os.kill(os.getpid(), 9)'
    ];
    const notebook = await open(
      notebookOf([COUNTED, `${SIMULATE}\n${HOLD}`, kill.join('\n')])
    );
    await notebook.run(0);
    await notebook.run(1);
    await expect
      .poll(() => notebook.value<number>('len(reads)'))
      .toBeGreaterThan(1);
    await expect(gauge(page)).toContainText('Simulated GPU 1.3 / 4.0 GiB');

    await notebook.start(2);
    const notice = page.locator('.Toastify__toast', {
      hasText: 'The kernel was ended because host memory ran out.'
    });
    await expect(notice).toContainText('GPU memory was 1.3 of 4.0 GiB');
  });
});
