import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Page } from '@playwright/test';

import { expect, test } from './application';
import { HOLD, HOLD_INTERPRETER, notebookOf, SIMULATE, WAIT } from './cells';
import { Notebook } from './notebook';
import { changeTheme } from './pictures';
import { gauge, popup, toast } from './surfaces';

/** What the gauge says of the simulated GPU with one GiB in use. */
const ONE_GIB = 'Simulated GPU 1.3 / 4.0 GiB';

const kernelspec = (name: string): object => ({
  kernelspec: { name, display_name: name, language: name }
});

test.describe('The gauge', () => {
  test('should wait for a framework and come alive with its device', async ({
    open,
    page
  }) => {
    const notebook = await open(
      notebookOf(['answer = 42', 'import torch', SIMULATE, HOLD])
    );
    await notebook.run(0);
    await expect(gauge(page)).toContainText('GPU idle');
    await expect(gauge(page)).toHaveAttribute(
      'title',
      'This kernel has no GPU framework loaded yet.'
    );
    expect(
      await notebook.value<boolean>('"torch" in __import__("sys").modules')
    ).toBe(false);

    await notebook.run(1);
    await expect(gauge(page)).toContainText('No GPU');

    await notebook.run(2);
    await notebook.run(3);
    await expect(gauge(page)).toContainText(ONE_GIB);
    await expect(gauge(page)).toHaveAttribute(
      'title',
      /^Simulated GPU 0: 1\.3 of 4\.0 GiB used, headroom about 2\.7 GiB\.$/
    );
  });

  test('should be opened, read and closed with the keyboard alone', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD]));
    await notebook.runUpTo(1);
    await expect(gauge(page)).toContainText(ONE_GIB);

    await gauge(page).focus();
    await page.keyboard.press('Enter');
    await expect(popup(page)).toBeVisible();
    await expect(gauge(page)).toHaveAttribute('aria-expanded', 'true');
    await expect(
      popup(page).getByRole('heading', { name: 'Headroom: 2.7 GiB' })
    ).toBeVisible();
    await expect(popup(page).getByRole('img')).toHaveAttribute(
      'aria-label',
      /in tensors 1\.0 GiB.*unused cache.*outside 0\.3 GiB.*free 2\.7 GiB.*of 4\.0 GiB/
    );
    for (const line of [
      'Simulated GPU 0',
      'used 1.3 of 4.0 GiB',
      "Outside this kernel's PyTorch0.3 GiB",
      'In use by tensors1.0 GiB',
      'Cached by PyTorch, unused',
      'Free2.7 GiB'
    ]) {
      await expect(popup(page)).toContainText(line);
    }
    const first = popup(page).getByRole('button', { name: 'Free memory…' });
    await expect(first).toBeFocused();
    await page.keyboard.press('Shift+Tab');
    await expect(popup(page).getByRole('button').last()).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(first).toBeFocused();

    await page.keyboard.press('Escape');
    await expect(popup(page)).toBeHidden();
    await expect(gauge(page)).toBeFocused();
    await page.keyboard.press('Space');
    await expect(popup(page)).toBeVisible();
  });

  test('should say how old its numbers are while the interpreter is held', async ({
    open,
    page,
    server
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD, HOLD_INTERPRETER]));
    await notebook.runUpTo(1);
    await expect(gauge(page)).toContainText(ONE_GIB);

    await notebook.start(2);
    await expect(gauge(page)).toContainText(/\d s ago/);
    await expect(gauge(page)).toContainText(ONE_GIB);
    await gauge(page).click();
    await expect(popup(page)).toContainText('Headroom: not measured');
    await expect(popup(page)).toContainText(
      "holds Python's global interpreter lock"
    );
    // Reading from the pipe ends when somebody writes to it.
    const folder = path.dirname(path.join(server.home, 'root', notebook.path));
    await writeFile(path.join(folder, 'held'), '');
    await notebook.waitUntilIdle();
    await expect(gauge(page)).not.toContainText('ago');
    await expect(popup(page)).toContainText('Headroom: 2.7 GiB');
  });

  test('should be gone from a kernel that restarts, and be there again', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD]));
    await notebook.runUpTo(1);
    await expect(gauge(page)).toContainText(ONE_GIB);
    const sample = (await notebook.askHelper()).sample;

    await notebook.restart(false);
    await expect(gauge(page)).toContainText('GPU — not connected');
    await expect(gauge(page)).toContainText('GPU idle');
    expect((await notebook.askHelper()).sample).not.toEqual(sample);
    await notebook.runUpTo(1);
    await expect(gauge(page)).toContainText(ONE_GIB);
  });

  test('should be back while the cell still runs after the page was reloaded', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD, WAIT]));
    await notebook.runUpTo(1);
    await notebook.execute('docmanager:save');
    await notebook.start(2);
    await expect(gauge(page)).toContainText(ONE_GIB);

    await page.reload();
    await notebook.waitUntilOpen(true);
    await expect(gauge(page)).toContainText(ONE_GIB);
    expect(await stateOnServer(page, notebook)).toBe('busy');
    await notebook.execute('notebook:interrupt-kernel');
  });

  test('should come alive when all cells were run before the kernel was ready', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD, WAIT]), {
      early: true
    });
    // As soon as there is a kernel to send to, it has not said that it is ready.
    await page.waitForFunction(() => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      const isThere = Boolean(panel.sessionContext.session?.kernel);
      if (isThere) {
        void window.jupyterapp.commands.execute('notebook:run-all-cells');
      }
      return isThere;
    });
    await expect(gauge(page)).toContainText(ONE_GIB);
    expect(await stateOnServer(page, notebook)).toBe('busy');
    await notebook.execute('notebook:interrupt-kernel');
    await notebook.waitUntilIdle();
    await expect(notebook.cell(2)).toContainText('KeyboardInterrupt');
  });

  test('should follow the notebook to another kernel @smoke', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD]));
    await notebook.runUpTo(1);
    await expect(gauge(page)).toContainText(ONE_GIB);
    await changeKernel(page, 'without-helper');
    await expect(gauge(page)).toContainText('GPU idle');
    expect(
      await notebook.value<boolean>(
        '"gpu_headroom" in __import__("sys").modules'
      )
    ).toBe(true);
  });

  test('should show nothing for a kernel of another language', async ({
    open,
    page
  }) => {
    const notebook = await open(
      notebookOf(['hello'], kernelspec('echo') as never)
    );
    await notebook.run(0);
    await expect(notebook.cell(0)).toContainText('hello');
    await expect(gauge(page)).toBeHidden();
    await changeKernel(page, 'python3');
    await expect(gauge(page)).toBeVisible();
  });

  test('should show the same in two pages, and free once for both', async ({
    open,
    page,
    context,
    baseURL
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD]));
    await notebook.runUpTo(1);
    await notebook.execute('docmanager:save');
    const other = await context.newPage();
    await other.goto(`${baseURL}/lab/tree/${notebook.path}`);
    await new Notebook(other, notebook.path).waitUntilOpen();
    await expect(gauge(page)).toContainText(ONE_GIB);
    await expect(gauge(other)).toContainText(ONE_GIB);

    await notebook.edit(1, 'held');
    await notebook.run(1);
    await notebook.edit(1, 'del held');
    await notebook.run(1);
    const released = await countReleases(other);
    for (const each of [page, other]) {
      await gauge(each).click();
    }
    await popup(page).getByRole('button', { name: 'Free memory…' }).click();
    await page.getByRole('button', { name: /^Free selected/ }).click();
    await expect(gauge(page)).toContainText('Simulated GPU 0.3 / 4.0 GiB');
    await expect(gauge(other)).toContainText('Simulated GPU 0.3 / 4.0 GiB');
    await expect(toast(page)).toContainText('1.0 GiB');
    expect(await released()).toBe(1);
    await other.close();
  });

  test('should be in consoles too', async ({ open, page }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD]));
    await notebook.runUpTo(1);
    await notebook.execute('notebook:create-console');
    const console = page.locator('.jp-ConsolePanel');
    await expect(console).toBeVisible();
    await console.locator('.jp-CodeConsole-input .cm-content').click();
    await expect(gauge(page)).toContainText(ONE_GIB);
    await page.keyboard.type('held = None');
    await page.keyboard.press('Shift+Enter');
    await expect(gauge(page)).toContainText('Simulated GPU 0.3 / 4.0 GiB');
  });

  test('should be short where there is little room', async ({ open, page }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD]));
    await notebook.runUpTo(1);
    await page.setViewportSize({ width: 800, height: 600 });
    await expect(gauge(page)).toContainText('1.3 / 4.0');
    await expect(gauge(page)).not.toContainText('GiB');
    await expect(gauge(page)).toHaveAttribute('title', /1\.3 of 4\.0 GiB/);
  });

  test('should tell tight from critical by more than a colour', async ({
    open,
    page
  }) => {
    const notebook = await open(
      notebookOf([SIMULATE, HOLD.replace('2**30', '3 * 2**30'), HOLD])
    );
    await notebook.runUpTo(1);
    await expect(gauge(page)).toContainText('0.7 left');
    await expect(gauge(page).locator('svg.jp-mod-triangle')).toBeVisible();
    await notebook.edit(
      2,
      'more = torch.empty(600 * 2**20, dtype=torch.uint8, device="cuda")'
    );
    await notebook.run(2);
    await expect(gauge(page)).toContainText(/left/);
    await expect(gauge(page).locator('svg.jp-mod-octagon')).toBeVisible();
    await changeTheme(page, 'JupyterLab Dark High Contrast');
    await expect(gauge(page).locator('svg.jp-mod-octagon')).toBeVisible();
  });
});

/** Count the releases that a page hears of from now on. */
/** Something to read for some seconds. */
const STEPS = `import time

for step in range(50):
    more = torch.empty(2**20, dtype=torch.uint8, device="cuda")
    time.sleep(0.1)`;

/** A simulated GPU of 8 GiB that PyTorch takes for another one. */
const taken = (as: string, gib: number): string => `import gpu_headroom

gpu_headroom.simulate("8 GiB", compute="meta", outside="0.4 GiB")

import torch

properties = torch.cuda.get_device_properties


class Other:
    def __init__(self, index):
        self.one = properties(index)

    def __getattr__(self, name):
        return getattr(self.one, name)

    ${as}


torch.cuda.get_device_properties = Other
held = torch.empty(${gib} * 2**30, dtype=torch.uint8, device="cuda")`;

/** Then each GPU is shown as a real one. */
const REAL = `from gpu_headroom.readings import merge

reading = merge.DeviceReading
merge.DeviceReading = lambda **told: reading(**{**told, "simulated": False})`;

test.describe("Memory that is not the GPU's own", () => {
  test('should be the memory of the host where the GPU has no other', async ({
    open,
    page
  }) => {
    const notebook = await open(
      notebookOf([
        taken('is_integrated, total_memory = True, 119 * 2**30', 5),
        REAL
      ])
    );
    await notebook.runUpTo(1);
    await expect(gauge(page)).toContainText(
      /GPU and host [\d.]+ \/ 119\.0 GiB/
    );
    await expect(gauge(page)).toHaveAttribute(
      'title',
      /Shared with the host: its programs use this memory, and free is what it has available\.$/
    );
    await gauge(page).click();
    await expect(popup(page)).toContainText('119.0 GiB, shared with the host');
    await expect(popup(page)).toContainText('free is what it has available');
  });

  test('should be said where the driver lends memory of the host', async ({
    open,
    page
  }) => {
    const notebook = await open(
      notebookOf([taken('total_memory = 5 * 2**30', 7), STEPS])
    );
    await notebook.run(0);
    await expect(gauge(page)).toContainText('7.0 / 5.0 GiB');
    const beyond = "More is reserved than this GPU's 5.0 GiB: the driver keeps";
    await expect(gauge(page)).toHaveAttribute('title', new RegExp(beyond));
    await gauge(page).click();
    await expect(popup(page)).toContainText(`${beyond} 2.0 GiB in host memory`);
    const bar = await popup(page).locator('.jp-mod-wide').first().boundingBox();
    const split = popup(page).locator('.jp-GpuHeadroom-split > span').first();
    expect((await split.boundingBox())?.width).toBeLessThanOrEqual(
      bar?.width ?? 0
    );
    await popup(page).getByRole('button', { name: 'Open panel' }).click();
    await notebook.start(1);
    await expect(page.locator('#gpu-headroom-panel-timeline')).toContainText(
      'more than the GPU has'
    );
  });
});

async function countReleases(page: Page): Promise<() => Promise<number>> {
  const heard = await page.evaluateHandle(() => {
    const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
    const releases: unknown[] = [];
    panel.sessionContext.session?.kernel?.iopubMessage.connect((_, message) => {
      const { data } = message.content as { data?: { type?: unknown } };
      if (data?.type === 'released') {
        releases.push(data);
      }
    });
    return releases;
  });
  return () => heard.evaluate(releases => releases.length);
}

/** What the server says of the notebook's kernel. */
async function stateOnServer(page: Page, notebook: Notebook): Promise<unknown> {
  const id = await notebook.kernelId();
  const response = await page.request.get(`/api/kernels/${id}`);
  return ((await response.json()) as Record<string, unknown>).execution_state;
}

/** Give the notebook another kernel. */
async function changeKernel(page: Page, name: string): Promise<void> {
  await page.evaluate(async kernel => {
    const panel = window.jupyterapp.shell.currentWidget as never as {
      sessionContext: { changeKernel(options: object): Promise<unknown> };
    };
    await panel.sessionContext.changeKernel({ name: kernel });
  }, name);
  await page.waitForFunction(kernel => {
    const panel = window.jupyterapp.shell.currentWidget as never as {
      sessionContext: {
        session: { kernel: { name: string; status: string } | null } | null;
      };
    };
    const current = panel.sessionContext.session?.kernel;
    return current?.name === kernel && current.status === 'idle';
  }, name);
}
