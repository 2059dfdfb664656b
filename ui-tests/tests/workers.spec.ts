import { expect, test } from './application';
import { notebookOf } from './cells';
import { picture } from './pictures';
import { reportIn, gauge } from './surfaces';

const TWO_GPUS = `import gpu_headroom

gpu_headroom.simulate("4 GiB*2", compute="meta", outside="300 MiB")`;

const TRAIN = `import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

batch_size = 32768


def train(rank):
    torch.cuda.set_device(rank)
    model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(40)]).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    data = TensorDataset(torch.zeros(50_000, 1024))
    for (batch,) in DataLoader(data, batch_size if rank else 256):
        optimizer.zero_grad()
        model(batch.cuda()).sum().backward()
        optimizer.step()`;

const LAUNCH = `from torch.multiprocessing import start_processes

start_processes(train, nprocs=2, start_method="fork")
print("trained")`;

test.describe('Ranks that a notebook forks', () => {
  test('should be measured in themselves, and their cell be edited', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([TWO_GPUS, TRAIN, LAUNCH]));
    await notebook.runUpTo(2);
    const failure = reportIn(notebook.cell(2));
    await expect(failure).toContainText(
      'Out of simulated GPU memory on rank 1'
    );
    await expect(failure).toContainText('It failed in train, In [2], line ');
    await expect(failure).toContainText('Activations');
    await expect(failure).toContainText('about −');
    await expect(failure).not.toContainText('was not measured');
    await picture(page, 'rank', failure);

    // The kernel has none of it: its own GPU is as empty as before.
    await expect(gauge(page)).not.toContainText('%');
    const run = failure.getByRole('button', { name: /and re-run/ });
    await run.first().click();
    await expect(notebook.cell(2).locator('.jp-OutputArea')).toContainText(
      'trained'
    );
    await expect(reportIn(notebook.cell(2))).toHaveCount(0);
    expect(await notebook.source(1)).toMatch(/^batch_size = (16384|8192)$/m);
  });
});
