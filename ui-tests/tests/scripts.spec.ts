import { expect, test } from './application';
import { notebookOf, SIMULATE } from './cells';
import { card } from './surfaces';

/** A script beside the notebook that trains with what its command line says. */
const SCRIPT = `%%writefile training_script.py
import argparse
import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-b", "--batch-size", type=int, default=16)
    args = parser.parse_args()
    layers = [torch.nn.Linear(1024, 1024) for _ in range(40)]
    model = torch.nn.Sequential(*layers).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    data = TensorDataset(torch.zeros(65536, 1024))
    for (batch,) in DataLoader(data, batch_size=args.batch_size):
        optimizer.zero_grad()
        model(batch.cuda()).sum().backward()
        optimizer.step()
    print("trained with", args.batch_size)


if __name__ == "__main__":
    main()`;

const RUN = '%run training_script.py --batch-size 32768';

test.describe('The number of a script', () => {
  test('should be made smaller on its command line, and taken back', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, SCRIPT, RUN]));
    await notebook.runUpTo(2);
    const failure = card(notebook.cell(2));
    await expect(failure).toContainText('Out of simulated GPU memory');
    await expect(failure).toContainText('--batch-size 16384');

    await failure.getByRole('button', { name: 'Make it fit' }).click();
    const question = page.locator('.jp-Dialog');
    await expect(question).toContainText('trains again');
    await question.getByRole('button', { name: 'Run it again' }).click();
    const notice = page.locator('.Toastify__toast');
    await expect(notice).toContainText(/batch_size = \d+ fits: peak/, {
      timeout: 60_000
    });
    const edited = await notebook.source(2);
    const [, size] = /--batch-size (\d+)$/.exec(edited) ?? [];
    expect(Number(size)).toBeLessThan(32768);
    await expect(notebook.cell(2)).toContainText(`trained with ${size}`);

    await notice.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => notebook.source(2)).toBe(RUN);
  });
});
