import type { Locator, Page } from '@playwright/test';

import { expect, test } from './application';
import { FAMILIES, notebookOf } from './cells';
import { picture } from './pictures';
import { reportIn } from './surfaces';

/** Two workers, each with a simulated GPU that no other worker has. */
const CLUSTER = `import os

from distributed import Client, LocalCluster, WorkerPlugin

client = Client(LocalCluster(
    n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0
))


class Simulated(WorkerPlugin):
    name = "simulated"

    def setup(self, worker):
        import gpu_headroom

        os.environ["CUDA_VISIBLE_DEVICES"] = str(worker.name)
        gpu_headroom.simulate("4 GiB*2", compute="meta", outside="300 MiB")


_ = client.register_plugin(Simulated())`;

const TRAIN = `batch_size = 32768


def load(size):
    import torch

    return torch.empty(size, 2**20, dtype=torch.uint8, device="cuda")


def train(data):
    import torch
    from torch import nn

    model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(40)]).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.zeros(batch_size, 1024, device="cuda")).sum().backward()
        optimizer.step()`;

const LOAD = `data = client.submit(load, 512)
data.exception()`;

const SUBMIT = `client.submit(train, data, pure=False).result()
print("trained")`;

function section(page: Page): Locator {
  return page.locator('#gpu-headroom-panel-workers');
}

test.describe('Dask workers', () => {
  test('should be measured on a click, explained and freed', async ({
    open,
    page
  }) => {
    await page.setViewportSize({ width: 1400, height: 1200 });
    const notebook = await open(
      notebookOf([CLUSTER, TRAIN, LOAD, SUBMIT], FAMILIES)
    );
    await notebook.execute('gpu-headroom:show-panel');
    await notebook.runUpTo(1);
    await expect(section(page)).toContainText('2 Dask workers: not measured.');
    await picture(page, 'dask-ask', section(page));
    await section(page).getByRole('button', { name: 'Measure all' }).click();
    await notebook.run(2);
    const worker = section(page).getByRole('listitem').first();
    await expect(worker).toContainText(/^Dask worker [01] ?0\.5 GiB/);

    await notebook.run(3);
    const failure = reportIn(notebook.cell(3));
    await expect(failure).toContainText(
      /Out of simulated GPU memory on Dask worker [01]/
    );
    await expect(failure).toContainText('It failed in train, In [2], line ');
    await expect(failure).toContainText('Activations');
    await picture(page, 'dask', failure);

    // What the failed task still holds comes back.
    await worker.getByRole('button', { name: 'Free memory of' }).click();
    await expect(section(page)).toContainText('It freed');
    await picture(page, 'dask-freed', section(page));

    const run = failure.getByRole('button', { name: /and re-run/ });
    await run.first().click();
    await expect(notebook.cell(3)).toContainText('trained');
    await section(page).getByRole('button', { name: 'Stop measuring' }).click();
    await expect(section(page)).toContainText('2 Dask workers: not measured.');
  });
});
