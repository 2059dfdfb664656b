import type { IJupyterLabPageFixture } from '@jupyterlab/galata';

import { expect, test } from './application';
import {
  DISPLAY,
  HOLD,
  MODEL,
  notebookOf,
  SIMULATE,
  TRAIN,
  WAIT as SHORT_WAIT
} from './cells';
import type { Notebook } from './notebook';
import { picture } from './pictures';
import { reportIn, gauge, popup, toast } from './surfaces';

/** Long enough for a page to be loaded again. */
const WAIT = SHORT_WAIT.replace('300', '900');

/** What of ours the Kernel menu offers now. */
async function offered(page: IJupyterLabPageFixture): Promise<string[]> {
  await page.menu.openLocator('Kernel');
  const labels = await page
    .locator('.lm-Menu [data-command^=gpu-headroom]')
    .and(page.locator('.lm-Menu-item:not(.lm-mod-disabled, .lm-mod-hidden)'))
    .locator('.lm-Menu-itemLabel')
    .allInnerTexts();
  await page.menu.closeAll();
  return labels;
}

/** Press a command's button or menu item without waiting for its result. */
function press(
  { page }: Notebook,
  command: string,
  args: object = {}
): Promise<void> {
  return page.evaluate(
    ([id, options]) => {
      void window.jupyterapp.commands.execute(id, options as never);
    },
    [command, args] as const
  );
}

test.describe('Releasing', () => {
  test('should say what came back, in a notification', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD, DISPLAY]));
    await notebook.runUpTo(2);
    await expect(gauge(page)).toContainText('Simulated GPU 2.3 / 4.0 GiB');
    await press(notebook, 'gpu-headroom:release-memory');
    await expect(toast(page)).toContainText(
      'Freed 1.0 GiB: headroom 1.7 → 2.7 GiB.'
    );
    await expect(toast(page)).toContainText(
      '1.0 GiB of cache returned to the GPU.'
    );
    await expect(gauge(page)).toContainText('Simulated GPU 1.3 / 4.0 GiB');
  });

  test('should say what it would give back before it is pressed', async ({
    open
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD, DISPLAY]));
    await notebook.runUpTo(2);
    await notebook.select(2);
    const button = notebook
      .cell(2)
      .getByRole('button', { name: /^Release GPU/ });
    await button.hover();
    await expect(
      notebook.cell(2).locator('[data-command="gpu-headroom:release-memory"]')
    ).toHaveAttribute('title', /^Release GPU\nAbout 1\.0 GiB can be freed/);
  });

  test('should free what one cell left behind, and nothing else', async ({
    open
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD, DISPLAY, DISPLAY]));
    await notebook.runUpTo(3);
    expect(await notebook.inUse()).toBe(3 * 2 ** 30);
    await notebook.select(2);
    await notebook.execute('gpu-headroom:release-cell-memory');
    await expect.poll(() => notebook.inUse()).toBe(2 * 2 ** 30);
  });

  test('should not free what another cell displayed under a saved number', async ({
    open,
    page
  }) => {
    const content = notebookOf([`${SIMULATE}\nimport torch`, DISPLAY, DISPLAY]);
    // An earlier session ran the last cell second, and was saved.
    Object.assign(content.cells[2] ?? {}, {
      execution_count: 2,
      outputs: [
        {
          output_type: 'execute_result',
          execution_count: 2,
          data: { 'text/plain': 'tensor(...)' },
          metadata: {}
        }
      ]
    });
    const notebook = await open(content);
    await notebook.runUpTo(1);
    await expect(gauge(page)).toContainText('Simulated GPU 1.3 / 4.0 GiB');
    await notebook.select(2);
    expect(await offered(page)).not.toContain('Release Memory of This Cell');
    await notebook.execute('gpu-headroom:release-cell-memory');
    await notebook.select(1);
    expect(await offered(page)).toContain('Release Memory of This Cell');
    expect(await notebook.value<boolean>('2 in Out')).toBe(true);
    await notebook.execute('gpu-headroom:release-cell-memory');
    await expect.poll(() => notebook.inUse()).toBe(0);
  });
});

test.describe('The Kernel menu', () => {
  const ALWAYS = [
    'Release GPU',
    'Free GPU Memory…',
    'Insert Clean-up Cell',
    'Dry Run on a GPU…'
  ];
  const FREED = 'Freed 1.0 GiB: headroom 1.7 → 2.7 GiB.';

  test('should offer what can be done, and do it', async ({ open, page }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD, DISPLAY, DISPLAY]));
    await notebook.runUpTo(2);
    await expect(gauge(page)).toContainText('Simulated GPU 2.3 / 4.0 GiB');
    await notebook.select(1);
    await expect.poll(() => offered(page)).toEqual(ALWAYS);
    await notebook.select(2);
    await expect
      .poll(() => offered(page))
      .toEqual([
        'Release GPU',
        'Release Memory of This Cell',
        'Free GPU Memory…',
        'Insert Clean-up Cell',
        'Dry Run on a GPU…'
      ]);
    await page.menu.clickMenuItem('Kernel>Release Memory of This Cell');
    await expect(toast(page)).toContainText(FREED);
    expect(await notebook.inUse()).toBe(2 ** 30);

    await notebook.run(3);
    await page.menu.clickMenuItem('Kernel>Release GPU');
    await expect(toast(page).filter({ hasText: FREED })).toHaveCount(2);
    expect(await notebook.inUse()).toBe(2 ** 30);

    await page.menu.clickMenuItem('Kernel>Free GPU Memory…');
    await expect(page.locator('#gpu-headroom-panel')).toContainText(
      'Variable held'
    );
    await notebook.execute('kernelmenu:shutdown');
    await expect.poll(() => offered(page)).toEqual([]);
  });
});

test.describe('A release while a cell runs', () => {
  const FREE_QUEUED = 'free queued';

  async function openBusy(
    open: (content: ReturnType<typeof notebookOf>) => Promise<Notebook>
  ): Promise<Notebook> {
    const notebook = await open(notebookOf([SIMULATE, HOLD, DISPLAY, WAIT]));
    await notebook.runUpTo(2);
    await notebook.start(3);
    return notebook;
  }

  test('should wait, be seen wherever the kernel is, and be taken back', async ({
    open,
    page
  }) => {
    const notebook = await openBusy(open);
    await press(notebook, 'gpu-headroom:release-memory');
    await expect(toast(page)).toContainText(
      'Queued. Starts when In [4] finishes.'
    );
    await expect(gauge(page)).toContainText(FREE_QUEUED);
    await picture(page, 'free-queued', gauge(page));

    // Another page knows nothing of who asked, and can take it back.
    await notebook.execute('docmanager:save');
    await page.reload();
    await notebook.waitUntilOpen(true); // its status is known when the cell ends
    await expect(gauge(page)).toContainText(FREE_QUEUED);
    await gauge(page).click();
    await expect(popup(page)).toContainText('Starts when In [4] finishes.');
    await popup(page).getByRole('button', { name: 'Cancel freeing' }).click();
    await expect(gauge(page)).not.toContainText(FREE_QUEUED);
    await page.keyboard.press('Escape');

    await notebook.execute('notebook:interrupt-kernel');
    await notebook.waitUntilIdle();
    expect(await notebook.inUse()).toBe(2 * 2 ** 30);
  });

  test('should be taken back where it was asked for', async ({
    open,
    page
  }) => {
    const notebook = await openBusy(open);
    await press(notebook, 'gpu-headroom:release-memory');
    await toast(page).getByRole('button', { name: 'Cancel' }).click();
    await expect(toast(page)).toContainText(
      'Canceled: none of your variables was deleted.'
    );
    await expect(gauge(page)).not.toContainText(FREE_QUEUED);
  });

  test('should start when the cell ends', async ({ open, page }) => {
    const notebook = await openBusy(open);
    await press(notebook, 'gpu-headroom:release-memory');
    await expect(gauge(page)).toContainText(FREE_QUEUED);
    await notebook.execute('notebook:interrupt-kernel');
    await expect(toast(page)).toContainText('Freed 1.0 GiB');
    await expect(gauge(page)).not.toContainText(FREE_QUEUED);
    await expect(gauge(page)).toContainText('Simulated GPU 1.3 / 4.0 GiB');
  });

  test('should wait on the report of a failed cell, too', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN, WAIT]));
    await notebook.runUpTo(2);
    const failure = reportIn(notebook.cell(2));
    await expect(failure).toContainText('Out of simulated GPU memory');
    await notebook.start(3);
    await failure.getByRole('button', { name: 'Free now' }).click();
    await expect(failure.getByRole('button', { name: 'Queued' })).toBeVisible();
    await expect(failure).toContainText('Starts when In [4] finishes.');
    await failure.getByRole('button', { name: 'Cancel' }).click();
    await expect(
      failure.getByRole('button', { name: 'Free now' })
    ).toBeVisible();
    await failure.getByRole('button', { name: 'Free now' }).click();
    await notebook.execute('notebook:interrupt-kernel');
    // The interrupt's own traceback takes the place of the failure's, which Python's
    // collector may have found by then.
    await expect(failure).toContainText(
      /GiB freed — headroom is now|GiB of unused cache returned to the GPU/
    );
    await expect(failure).toContainText('Out of simulated GPU memory');
    await picture(page, 'report-freed', failure);
  });
});

test.describe('A clean-up cell', () => {
  test('should be readable, not run, and right as it is', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD, DISPLAY]));
    await notebook.runUpTo(2);
    await notebook.select(2);
    await notebook.execute('gpu-headroom:insert-cleanup-cell');
    expect(await notebook.count()).toBe(4);
    expect(await notebook.source(3)).toContain('gc.collect()');
    expect(await notebook.inUse()).toBe(2 * 2 ** 30);
    await notebook.run(3);
    expect(await notebook.inUse()).toBe(2 ** 30);
    await expect(gauge(page)).toContainText('Simulated GPU 1.3 / 4.0 GiB');
  });

  test('should free exactly what was chosen', async ({ open }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD, DISPLAY]));
    await notebook.runUpTo(2);
    const items = ['variable:held'];
    await notebook.execute('gpu-headroom:insert-cleanup-cell', { items });
    expect(await notebook.source(3)).toContain("('held',)");
    await notebook.run(3);
    expect(await notebook.value<boolean>('"held" in globals()')).toBe(false);
    expect(await notebook.inUse()).toBe(2 ** 30);
  });
});

test.describe('A clean-up cell of an earlier session', () => {
  const NOTHING = 'Freed 0.0 MiB of GPU memory.';

  /** Displays, as In[2], what a name holds. */
  const NAME = `debug = early_stop = False
result = model = torch.empty(2**30, dtype=torch.uint8, device="cuda")
model`;

  test('should free nothing of this one, and say so', async ({ open }) => {
    const begin = `${SIMULATE}\nimport torch`;
    const notebook = await open(notebookOf([begin, DISPLAY, DISPLAY]));
    await notebook.runUpTo(2);
    await notebook.execute('gpu-headroom:insert-cleanup-cell');
    expect(await notebook.source(3)).toContain("(2, 3, '_2'");
    await notebook.execute('docmanager:save');

    await notebook.restart();
    await notebook.run(3);
    await expect(notebook.cell(3)).toContainText(NOTHING);

    await notebook.restart();
    await notebook.edit(1, NAME);
    await notebook.edit(2, 'debug');
    await notebook.runUpTo(3);
    await expect(notebook.cell(3)).toContainText(NOTHING);
    expect(
      await notebook.value<boolean>(
        'debug is early_stop is _3 is False and result is model'
      )
    ).toBe(true);
    expect(await notebook.value<number>('result.numel()')).toBe(2 ** 30);
    expect(await notebook.inUse()).toBe(2 ** 30);
  });
});
