import { expect, test } from './application';
import { MODEL, notebookOf, SIMULATE, TRAIN, writeTraining } from './cells';
import { reportIn } from './surfaces';

/** A training with a GPU of its own, as a process has it that the shell starts. */
const SCRIPT = writeTraining(
  'shell_training.py',
  `
import gpu_headroom

gpu_headroom.simulate("4 GiB", compute="meta", outside="300 MiB")
`
);

const RUN = 'import sys\n!{sys.executable} shell_training.py -b 32768';
const HALF = RUN.replace('32768', '16384');

test.describe('A training that a shell command starts', () => {
  test('should get a report, and its number made smaller on the command', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SCRIPT, RUN]));
    await notebook.runUpTo(1);
    const failure = reportIn(notebook.cell(1));
    await expect(failure).toContainText('Another process ran out of memory');
    await expect(failure).toHaveCount(1);
    await expect(failure).toContainText('The numbers are those of its message');
    const diff = failure.locator('.jp-GpuHeadroomReport-diff');
    await expect(diff).toContainText('shell_training.py -b 16384');
    await expect(notebook.cell(1)).toHaveClass(/jp-GpuHeadroom-failedCell/);
    // Whether it fits is not seen: there is nothing to try again and again.
    const fit = failure.getByRole('button', { name: 'Make it fit' });
    await expect(fit).toHaveCount(0);

    const apply = failure.getByRole('button', { name: 'Apply', exact: true });
    await apply.first().click();
    await expect.poll(() => notebook.source(1)).toBe(HALF);
    await failure.getByRole('button', { name: 'Undo' }).first().click();
    await expect.poll(() => notebook.source(1)).toBe(RUN);

    const run = failure.getByRole('button', { name: 'Apply and re-run' });
    await run.first().click();
    const question = page.getByRole('dialog');
    await expect(question).toContainText('repeats what it does');
    await question.getByRole('button', { name: 'Run it again' }).click();
    await expect(notebook.cell(1)).toContainText('trained with 16384');
    await expect(reportIn(notebook.cell(1))).toHaveCount(0);
    expect(await notebook.source(1)).toBe(HALF);

    // What stands there is of a run that this page has not seen.
    await notebook.edit(1, RUN);
    await notebook.run(1);
    await expect(reportIn(notebook.cell(1))).toHaveCount(1);
    await notebook.execute('docmanager:save');
    await page.reload();
    await notebook.waitUntilOpen();
    await expect(reportIn(notebook.cell(1))).toHaveCount(1);
  });
});

test.describe('A cell that fails a second time', () => {
  test('should keep the causes and what is offered first', async ({ open }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    await notebook.runUpTo(2);
    const failure = reportIn(notebook.cell(2));
    const cause = failure.locator('.jp-GpuHeadroomReport-cause');
    const diff = failure.locator('.jp-GpuHeadroomReport-diff').first();
    await expect(diff).toContainText('batch_size = ');
    const before = [await cause.innerText(), await diff.innerText()];

    await notebook.run(2);
    await expect(failure).toHaveCount(1);
    await expect(diff).toContainText('batch_size = ');
    expect([await cause.innerText(), await diff.innerText()]).toEqual(before);
  });
});
