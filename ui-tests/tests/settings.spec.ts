import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { galata } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import { expect, type IServer, test } from './application';
import { HOLD, MODEL, notebookOf, SIMULATE, TRAIN } from './cells';
import type { Notebook } from './notebook';
import { reportIn, gauge } from './surfaces';

/** Cells that work whether or not there is a helper. */
const CELLS = ['"started"', SIMULATE, HOLD];

/** Set something for all people of a server, for the length of a test. */
async function administrate(
  server: IServer,
  file: 'default_setting_overrides' | 'page_config',
  content: object,
  during: () => Promise<void>
): Promise<void> {
  const folder = path.join(server.home, 'config', 'labconfig');
  const name = path.join(folder, `${file}.json`);
  await mkdir(folder, { recursive: true });
  await writeFile(name, JSON.stringify(content));
  try {
    await during();
  } finally {
    await rm(name);
  }
}

/** The kernel runs cells, and nothing of ours is in it. */
async function expectUntouched(notebook: Notebook): Promise<void> {
  await notebook.run(0);
  await expect(notebook.cell(0)).toContainText('started');
  expect(await notebook.askHelper()).toEqual({});
  expect(
    await notebook.value<string[]>(
      '[name for name in __import__("sys").modules if name.startswith("gpu_headroom")]'
    )
  ).toEqual([]);
}

function withSettings(settings: object): void {
  test.use({
    mockSettings: {
      ...galata.DEFAULT_SETTINGS,
      'gpu-headroom:plugin': settings
    }
  });
}

test.describe('With the helper started never', () => {
  withSettings({ startHelper: 'never' });

  test('should leave kernels alone and show nothing', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf(CELLS));
    await expectUntouched(notebook);
    await expect(gauge(page)).toBeHidden();
  });
});

test.describe('With the helper started on a click', () => {
  withSettings({ startHelper: 'click' });

  test('should leave kernels alone until the gauge is clicked', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf(CELLS));
    await expectUntouched(notebook);
    await expect(gauge(page)).toContainText('GPU off — click to start');
    await gauge(page).click();
    const start = page.getByRole('button', { name: 'Start', exact: true });
    await start.click();
    await expect(gauge(page)).toContainText('GPU idle');
    await notebook.run(1);
    await notebook.run(2);
    await expect(gauge(page)).toContainText('Simulated GPU 1.3 / 4.0 GiB');
  });
});

test.describe('With a compact gauge', () => {
  withSettings({ compact: true });

  test('should show numbers without words', async ({ open, page }) => {
    const notebook = await open(notebookOf(CELLS));
    await notebook.runUpTo(2);
    await expect(gauge(page)).toContainText('1.3 / 4.0');
    await expect(gauge(page)).not.toContainText('GiB');
  });
});

test.describe('With cells that are not marked', () => {
  withSettings({ markCells: false });

  test('should leave the failed cell as Python left it', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    await notebook.runUpTo(2);
    await expect(notebook.cell(2)).toContainText('OutOfMemoryError');
    await expect(gauge(page)).toContainText('left');
    await expect(reportIn(page)).toHaveCount(0);
    expect(await notebook.saved()).not.toContain('gpu-headroom');
  });
});

test.describe('After an out-of-memory error', () => {
  /** Fail, and say what came of the memory of the failed cell. */
  async function fail(notebook: Notebook): Promise<Locator> {
    await notebook.runUpTo(2);
    const failure = reportIn(notebook.cell(2));
    await expect(failure).toContainText('Out of simulated GPU memory');
    await expect(failure.getByRole('button').first()).toBeVisible();
    return failure;
  }

  test.describe('with its memory freed at once', () => {
    withSettings({ afterOom: 'free' });

    test('should say on the report how much came back', async ({ open }) => {
      const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
      const failure = await fail(notebook);
      await expect(failure.getByRole('heading').first()).toContainText(
        /^3\.\d GiB freed — headroom is now 3\.\d GiB/
      );
      await expect(failure).toContainText('%debug');
      await expect(
        failure.getByRole('button', { name: 'Free now' })
      ).toHaveCount(0);
      expect(await notebook.inUse()).toBeLessThan(2 ** 30);
      expect(await notebook.value('kept')).toBe('this variable');
      await failure.getByRole('button', { name: /^Set batch_size = / }).click();
      await expect(notebook.cell(2)).toContainText(/trained with \d+/);
    });
  });

  test.describe('with nothing done about its memory', () => {
    withSettings({ afterOom: 'never' });

    test('should neither free it nor offer to', async ({ open }) => {
      const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
      const failure = await fail(notebook);
      await expect(failure).toContainText('still keeps');
      await expect(
        failure.getByRole('button', { name: 'Apply', exact: true })
      ).toBeVisible();
      await expect(
        failure.getByRole('button', { name: 'Free now' })
      ).toHaveCount(0);
      expect(await notebook.inUse()).toBeGreaterThan(3 * 2 ** 30);
    });
  });
});

test.describe('A notebook that wants to be left alone', () => {
  test('should be', async ({ open, page }) => {
    const notebook = await open(
      notebookOf(CELLS, {
        gpu_headroom: false,
        kernelspec: { name: 'python3', display_name: 'Python 3' }
      })
    );
    await expectUntouched(notebook);
    await expect(gauge(page)).toBeHidden();
  });
});

test.describe('An administrator', () => {
  test('should decide for everybody', async ({ open, page, server }) => {
    await administrate(
      server,
      'default_setting_overrides',
      { 'gpu-headroom:plugin': { startHelper: 'never' } },
      async () => {
        const notebook = await open(notebookOf(CELLS));
        await expectUntouched(notebook);
        await expect(gauge(page)).toBeHidden();
      }
    );
  });

  test('should be able to take the extension away while kernels live', async ({
    open,
    page,
    server
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN, HOLD]));
    await notebook.runUpTo(2);
    await expect(reportIn(notebook.cell(2))).toBeVisible();
    await notebook.execute('docmanager:save');
    await administrate(
      server,
      'page_config',
      { disabledExtensions: { 'gpu-headroom': true } },
      async () => {
        await page.reload();
        await notebook.waitUntilOpen();
        await expect(notebook.cell(2)).toContainText(
          'Out of simulated GPU memory'
        );
        await expect(reportIn(page)).toHaveCount(0);
        await expect(gauge(page)).toHaveCount(0);
        expect(await notebook.askHelper()).toHaveProperty('sample');
        await notebook.edit(3, 'print("the kernel", "goes on")');
        await notebook.run(3);
        await expect(notebook.cell(3)).toContainText('the kernel goes on');
        await notebook.run(2);
        await expect(notebook.cell(2)).toContainText('OutOfMemoryError');
      }
    );
    await page.reload();
    await notebook.waitUntilOpen();
    await expect(gauge(page)).toContainText('Simulated GPU');
  });
});
