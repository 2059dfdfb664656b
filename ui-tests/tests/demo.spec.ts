import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Page } from '@playwright/test';

import { expect, test } from './application';
import { at, DEMO } from './demo';
import type { Notebook } from './notebook';
import { picture } from './pictures';
import { bytesOf, reportIn, gauge, popup, sizeOf } from './surfaces';

const GIB = 2 ** 30;

/** Collect what the gauge says from now on while the kernel is busy. */
async function recordGauge(page: Page): Promise<() => Promise<string[]>> {
  const said = await gauge(page).evaluateHandle(node => {
    const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
    const labels = new Set<string>();
    const observer = new MutationObserver(() => {
      if (panel.sessionContext.session?.kernel?.status === 'busy') {
        labels.add(node.getAttribute('title') ?? '');
      }
    });
    observer.observe(node, { attributeFilter: ['title'] });
    return labels;
  });
  return () => said.evaluate(labels => [...labels]);
}

/** The kernel's own numbers. */
async function measured(notebook: Notebook): Promise<[number, number]> {
  return notebook.value<[number, number]>(
    '[torch.cuda.memory_allocated(), torch.cuda.memory_reserved()]'
  );
}

test.use({ viewport: { width: 1280, height: 960 } });

test.describe('The demo', () => {
  test.setTimeout(240_000);

  test('should lead from a training loop through running out of memory to training on', async ({
    open,
    page
  }) => {
    const notebook = await open(DEMO, { name: 'demo.ipynb' });
    const kernel = await notebook.kernelId();
    await notebook.execute('application:toggle-left-area');

    await test.step('the gauge waits for a framework', async () => {
      await expect(gauge(page)).toContainText('GPU idle');
    });

    await test.step('the gauge moves while the cell trains', async () => {
      await notebook.run(at('device'));
      await notebook.run(at('data'));
      await notebook.run(at('model'));
      await expect(gauge(page)).toContainText('Simulated GPU 0.3 / 4.0 GiB');
      const said = await recordGauge(page);
      await notebook.start(at('train'));
      await expect.poll(said).not.toHaveLength(0);
      await picture(page, 'training');
      await notebook.waitUntilIdle();
      expect((await said()).length).toBeGreaterThan(1);
      const losses = await lossesOf(notebook, at('train'));
      expect(losses.length).toBeGreaterThan(5);
      expect(losses[losses.length - 1]).toBeLessThan((losses[0] ?? 0) / 2);
    });

    await test.step('the popup says what PyTorch says', async () => {
      await gauge(page).click();
      await expect(popup(page)).toContainText('Headroom');
      const [allocated, reserved] = await measured(notebook);
      await expect(popup(page)).toContainText(
        `In use by tensors${sizeOf(allocated)}`
      );
      await expect(popup(page)).toContainText(
        `Cached by PyTorch, unused${sizeOf(reserved - allocated)}`
      );
      await picture(page, 'popup');
      await page.keyboard.press('Escape');
      await expect(popup(page)).toBeHidden();
    });

    const failed = notebook.cell(at('oom'));
    const failure = reportIn(failed);

    await test.step('the cell that is too large gets its report', async () => {
      await notebook.run(at('oom'));
      await expect(failure).toContainText('Out of simulated GPU memory');
      await expect(failed).toContainText('OutOfMemoryError');
      await expect(failure).toContainText(/needed [\d.]+ [GM]iB more/);
      await expect(failure).toContainText('Simulated GPU 0, 4.0 GiB');
      const legend = failure.getByRole('list').first();
      for (const part of [
        'outside',
        'parameters',
        'optimizer state',
        'gradients',
        'activations'
      ]) {
        await expect(legend).toContainText(part);
      }
      await expect(failure).toContainText(
        'The traceback of this error still keeps'
      );
      await expect(failure).toContainText('Most likely cause');
      await expect(failure).toContainText(
        /Activations: 3\.\d GiB of the 3\.\d GiB/
      );
      await expect(failure).toContainText('batch_size = 512');
      await expect(
        failure.getByRole('button', { name: 'Free now' })
      ).toBeVisible();
      await expect(
        failure.getByRole('button', { name: 'Apply', exact: true })
      ).toBeVisible();
      await expect(
        failure.getByRole('button', { name: 'Apply and re-run' })
      ).toBeVisible();
      // From the last lines of the traceback on.
      await failure.evaluate(node => {
        node.scrollIntoView();
        node.closest('.jp-WindowedPanel-outer')?.scrollBy(0, -95);
      });
      await picture(page, 'out-of-memory');
      await picture(page, 'oom-report', failure);
    });

    await test.step('Free gives the memory back and says how much', async () => {
      const [before] = await measured(notebook);
      await failure.getByRole('button', { name: 'Free now' }).click();
      const title = failure.getByRole('heading').first();
      await expect(title).toContainText(
        /GiB freed — headroom is now 3\.\d GiB/
      );
      const [after] = await measured(notebook);
      expect(before - after).toBeGreaterThan(3 * GIB);
      const freed = bytesOf(await title.innerText());
      expect(Math.abs(freed - (before - after))).toBeLessThan(0.06 * GIB);
      await expect(gauge(page)).toContainText('Simulated GPU 0.4 / 4.0 GiB');
      await picture(page, 'freed', failure);
    });

    await test.step('the fix edits the cell, and it runs to its end', async () => {
      const images = await notebook.value<number>('id(images)');
      const fix = failure.getByRole('button', {
        name: /^Set batch_size = \d+ and re-run$/
      });
      const [size] = /\d+/.exec(await fix.innerText()) ?? [];
      await fix.click();
      await expect(failed).toContainText(/step 2: loss [\d.]+/);
      await notebook.waitUntilIdle();
      expect(Number(size)).toBeLessThan(512);
      expect(await notebook.source(at('oom'))).toContain(
        `batch_size = ${size}`
      );
      await expect(failure).toHaveCount(0);
      expect(await notebook.kernelId()).toBe(kernel);
      expect(await notebook.value<number>('id(images)')).toBe(images);
      await expect(gauge(page)).toContainText('Simulated GPU 0.4 / 4.0 GiB');
      await picture(page, 'trained-on');
    });

    const [settled] = await measured(notebook);
    const hold = async (): Promise<void> => {
      await notebook.run(at('held'));
      expect((await measured(notebook))[0]).toBe(settled + GIB / 2);
    };
    const expectFreed = async (times: number): Promise<void> => {
      await expect
        .poll(async () => {
          const notices = await page.notifications;
          return notices.filter(({ message }) =>
            message.startsWith('Freed 0.5 GiB: headroom')
          ).length;
        })
        .toBe(times);
      expect((await measured(notebook))[0]).toBe(settled);
      await expect(gauge(page)).toContainText('Simulated GPU 0.4 / 4.0 GiB');
    };

    await test.step('Release GPU is in the toolbar of the cell', async () => {
      await hold();
      await notebook.select(at('held'));
      await notebook
        .cell(at('held'))
        .locator('.jp-cell-toolbar')
        .getByRole('button', { name: /Release GPU/ })
        .click();
      // A notification stays as long as the mouse is over it.
      await page.getByRole('alert').filter({ hasText: 'Freed' }).hover();
      await expectFreed(1);
      await picture(page, 'released');
    });

    await test.step('Release GPU is in the Kernel menu', async () => {
      await hold();
      await page.menu.clickMenuItem('Kernel>Release GPU');
      await expectFreed(2);
    });

    await test.step('Release GPU is in the command palette', async () => {
      await hold();
      await page.keyboard.press('ControlOrMeta+Shift+KeyC');
      await page
        .getByPlaceholder('SEARCH', { exact: true })
        .fill('Release GPU');
      await page.keyboard.press('Enter');
      await expectFreed(3);
    });

    await test.step('the clean-up cell frees the same by hand', async () => {
      await hold();
      const count = await notebook.count();
      await page.menu.clickMenuItem('Kernel>Insert Clean-up Cell');
      await expect.poll(() => notebook.count()).toBe(count + 1);
      const code = await notebook.source(at('held') + 1);
      expect(code).toContain('gc.collect()');
      expect(code).toContain('cuda.empty_cache()');
      expect(code).not.toContain('gpu_headroom');
      await picture(page, 'clean-up', notebook.cell(at('held') + 1));
      await notebook.run(at('held') + 1);
      const [allocated, reserved] = await measured(notebook);
      expect(allocated).toBe(settled);
      expect(reserved - allocated).toBeLessThan(64 * 2 ** 20);
    });
  });
});

/** The losses that a cell has printed. */
async function lossesOf(notebook: Notebook, index: number): Promise<number[]> {
  const text = await notebook.cell(index).innerText();
  return [...text.matchAll(/loss ([\d.]+)/g)].map(found => Number(found[1]));
}
