import { expect, test } from './application';
import { HOLD, notebookOf, SIMULATE } from './cells';
import { HIDDEN, Notebook } from './notebook';
import { gauge, popup } from './surfaces';
import { setHidden, Traffic } from './traffic';

/** A visible page at rest polls its kernel at this interval. */
const POLL_MS = 5000;

test.describe('A page with three notebooks', () => {
  test('should poll the kernel that is looked at, and no other', async ({
    open,
    page,
    write
  }) => {
    const traffic = new Traffic(page);
    const content = notebookOf([SIMULATE, HOLD]);
    const first = await open(content);
    await first.runUpTo(1);
    const kernels = [await first.kernelId()];
    for (const name of ['second.ipynb', 'third.ipynb']) {
      const path = await write(name, content);
      const notebook = await Notebook.show(page, path);
      await notebook.runUpTo(1);
      await expect(gauge(page)).toContainText('Simulated GPU 1.3 / 4.0 GiB');
      kernels.push(await notebook.kernelId());
    }
    const before = new Map(kernels.map(id => [id, traffic.to(id).requests]));
    const sent = (id: string | undefined): number[] =>
      traffic.to(id).times.slice(before.get(id));
    // The first two may be what a new kernel is asked once.
    await expect.poll(() => sent(kernels[2]).length).toBeGreaterThanOrEqual(6);
    // A slow machine asks later, never sooner.
    const [first_ms = 0, , , last_ms = 0] = sent(kernels[2]).slice(-4);
    expect(last_ms - first_ms).toBeGreaterThan(2.5 * POLL_MS);
    expect(
      Math.max(...kernels.slice(0, 2).map(id => sent(id).length))
    ).toBeLessThanOrEqual(1);

    await setHidden(page, true);
    traffic.restart();
    // That nothing is sent no event can tell: two polls would have been, but for one on its way.
    await page.waitForTimeout(2.2 * POLL_MS);
    expect(traffic.requests).toBeLessThanOrEqual(1);
    traffic.restart();
    await setHidden(page, false);
    // The lease, the runs of cells and the readings that were missed.
    await expect.poll(() => traffic.to(kernels[2]).requests).toBe(3);

    // A kernel that comes into view is asked at once.
    await Notebook.show(page, first.path);
    await first.edit(1, 'held = None');
    await first.run(1);
    await expect(gauge(page)).toContainText('Simulated GPU 0.3 / 4.0 GiB');
  });

  test('should hear of the cells of a notebook in the background', async ({
    open,
    page,
    write
  }) => {
    const first = await open(
      notebookOf([SIMULATE, 'import time; time.sleep(5)', HOLD])
    );
    await first.run(0);
    const path = await write('second.ipynb', notebookOf(['1']));
    await first.start(1);
    await page.evaluate(() => {
      void window.jupyterapp.commands.execute('notebook:run-all-cells');
    });
    await Notebook.show(page, path);
    const badge = page
      .locator(`.jp-NotebookPanel${HIDDEN}`)
      .locator('.jp-GpuHeadroom-badge');
    await expect(badge).toContainText('+1.0 GiB');
  });
});

test.describe('A kernel that does not answer', () => {
  test('should be asked a few times, and then on a wish or a sign of life', async ({
    open,
    page
  }) => {
    const traffic = new Traffic(page);
    const notebook = await open(notebookOf([SIMULATE, HOLD]));
    await notebook.runUpTo(1);
    const pid = await notebook.value<number>('__import__("os").getpid()');
    await notebook.execute('docmanager:save');
    await page.clock.install();
    process.kill(pid, 'SIGSTOP');
    try {
      await page.reload();
      await page.waitForFunction(() => 'jupyterapp' in window);
      traffic.restart();
      for (let minute = 0; minute < 60; minute++) {
        await page.clock.runFor(60_000);
        // What arrives does so by the clock of the machine.
        await page.waitForTimeout(50);
      }
      await page.clock.resume();
      const label =
        /^The kernel did not answer\. GPU Headroom tries again when/;
      await expect(gauge(page)).toHaveAttribute('title', label);
      expect(traffic.requests).toBeGreaterThan(1);
      expect(traffic.requests).toBeLessThanOrEqual(8);

      traffic.restart();
      await gauge(page).click();
      await popup(page).getByRole('button', { name: 'Try again' }).click();
      await expect.poll(() => traffic.requests).toBe(1);
      await page.keyboard.press('Escape');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await expect(gauge(page)).toContainText('Simulated GPU 1.3 / 4.0 GiB');
  });
});
