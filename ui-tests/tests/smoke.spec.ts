import { expect, test } from './application';
import { HOLD, MODEL, notebookOf, SIMULATE, TRAIN } from './cells';
import { reportIn, gauge } from './surfaces';

test.describe('The thin path', () => {
  test('should show, explain and free @smoke', async ({ open, page }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD, MODEL, TRAIN]));
    await notebook.runUpTo(1);
    await expect(gauge(page)).toContainText('Simulated GPU 1.3 / 4.0 GiB');

    await notebook.edit(1, 'del held');
    await notebook.run(1);
    await notebook.run(2);
    await notebook.run(3);
    const failure = reportIn(notebook.cell(3));
    await expect(failure).toContainText('Out of simulated GPU memory');
    await failure.getByRole('button', { name: 'Free now' }).click();
    await expect(failure.getByRole('heading').first()).toContainText(
      /GiB freed — headroom is now 3\.\d GiB/
    );

    await failure.getByRole('button', { name: /^Set batch_size = / }).click();
    await expect(notebook.cell(3)).toContainText(/trained with \d+/);
    expect(await notebook.value('batch_size')).toBeLessThan(32_768);
    expect(await notebook.value('kept')).toBe('this variable');
  });
});
