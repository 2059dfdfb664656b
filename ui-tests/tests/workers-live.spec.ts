import type { Locator, Page } from '@playwright/test';

import { expect, test } from './application';
import { faultsOf } from './axe';
import { notebookOf } from './cells';
import type { Notebook } from './notebook';
import { picture } from './pictures';
import { gauge, popup } from './surfaces';

const TWO_GPUS = `import gpu_headroom

gpu_headroom.simulate("4 GiB*2", compute="meta", outside="300 MiB")`;

/** Holds one GiB, or two on the second GPU, until a file says that it is over. */
const TRAIN = `import os
import time

import torch
from torch.multiprocessing import start_processes


def train(rank):
    torch.cuda.set_device(rank)
    size = (rank + 1) * 2**30
    kept = torch.empty(size, dtype=torch.uint8, device="cuda")
    while not os.path.exists("over"):
        time.sleep(0.1)`;

const LAUNCH = 'start_processes(train, nprocs=2, start_method="fork")';

/** Goes on behind the notebook's back. */
const LEAVE = `import multiprocessing

left = multiprocessing.get_context("fork").Process(target=train, args=(1,))
left.start()`;

/** Touches the GPU in the kernel itself. */
const START = 'torch.empty(2**28, dtype=torch.uint8, device="cuda").shape';

function panelOf(page: Page): Locator {
  return page.locator('#gpu-headroom-panel');
}

function section(page: Page): Locator {
  return page.locator('#gpu-headroom-panel-workers');
}

function badge(notebook: Notebook, index: number): Locator {
  return notebook.cell(index).locator('.jp-GpuHeadroom-badge');
}

test.describe('Ranks that train', () => {
  test('should be seen in gauge, popup and panel, and at their cell', async ({
    open,
    page,
    request
  }) => {
    const notebook = await open(notebookOf([TWO_GPUS, TRAIN, LAUNCH, START]));
    await notebook.runUpTo(1);
    await notebook.start(2);
    await expect(gauge(page)).toHaveText('2 ranks · fullest 57%');

    await gauge(page).click();
    expect(await faultsOf(page, '[role=dialog]')).toEqual([]);
    await popup(page).getByRole('button', { name: 'Open panel' }).click();

    const ranks = section(page).getByRole('listitem');
    await expect(ranks).toHaveText([
      /^rank 1 In \[3\]2\.0 GiB.*GPU 1.*2\.3 of 4\.0 GiB/,
      /^rank 0 In \[3\]1\.0 GiB.*GPU 0.*1\.3 of 4\.0 GiB/
    ]);
    await picture(page, 'ranks', section(page));
    expect(await faultsOf(page, '#gpu-headroom-panel')).toEqual([]);

    const folder = notebook.path.split('/').slice(0, -1).join('/');
    await request.put(`/api/contents/${folder}/over`, {
      data: { type: 'file', format: 'text', content: '' }
    });
    await notebook.waitUntilIdle();
    await expect(badge(notebook, 2)).toContainText('workers +3.0 GiB');

    // Who started CUDA, none can tell later.
    await notebook.run(3);
    await panelOf(page).getByRole('row', { name: 'GPU 0' }).press('ArrowRight');
    await expect(panelOf(page)).toContainText('CUDA was started by In [4].');
  });

  test('should be ended where they outlive their cell', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([TWO_GPUS, TRAIN, LEAVE]));
    await notebook.execute('gpu-headroom:show-panel');
    await notebook.runUpTo(2);
    await expect(section(page)).toContainText('still running after In [3]');
    await picture(page, 'left-over', section(page));
    await section(page).getByRole('button', { name: 'End ' }).click();
    const dialog = page.locator('.jp-Dialog');
    await expect(dialog).toContainText('This frees 2.0 GiB of GPU memory.');
    await dialog.getByRole('button', { name: 'End', exact: true }).click();
    await expect(section(page).getByRole('status')).toContainText('2.0 GiB');
    await expect(section(page)).not.toContainText('still running');
  });
});
