import type { BrowserContext, Locator, Page } from '@playwright/test';

import { expect, test } from './application';
import { faultsOf } from './axe';
import { HOLD, notebookOf, SIMULATE } from './cells';
import { Notebook } from './notebook';
import { picture } from './pictures';

const WAIT = `import time

time.sleep(30)`;

/** What the server says of a kernel. */
interface IKernelModel {
  id: string;
  execution_state: string;
  last_activity: string;
}

/** The section of the panel. */
function section(page: Page): Locator {
  return page.locator('#gpu-headroom-panel-others');
}

function row(page: Page, name: string): Locator {
  return section(page).locator('li', { hasText: name });
}

/** The kernel of a notebook, as its server sees it. */
async function modelOf(page: Page, path: string): Promise<IKernelModel | null> {
  const sessions = await page.request.get('/api/sessions');
  const found = (
    (await sessions.json()) as { path: string; kernel: IKernelModel }[]
  ).find(session => session.path === path);
  return found?.kernel ?? null;
}

async function expectModel(page: Page, path: string): Promise<IKernelModel> {
  const model = await modelOf(page, path);
  if (!model) {
    throw new Error(`No kernel of ${path}.`);
  }
  return model;
}

test.describe('Other notebooks on the GPU', () => {
  /** Open a notebook on a page of its own, and run its cells. */
  async function openElsewhere(
    context: BrowserContext,
    baseURL: string | undefined,
    path: string
  ): Promise<Notebook> {
    const page = await context.newPage();
    await page.goto(`${baseURL}/lab/tree/${path}`);
    const notebook = new Notebook(page, path);
    await notebook.waitUntilOpen();
    return notebook;
  }

  test('should be listed with what they hold, and be shut down', async ({
    baseURL,
    context,
    open,
    page,
    write
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD]));
    await notebook.runUpTo(1);
    const path = await write('sweep-lr.ipynb', notebookOf([SIMULATE, HOLD]));
    const other = await openElsewhere(context, baseURL, path);
    await other.runUpTo(1);
    await notebook.execute('gpu-headroom:show-panel');

    await expect(row(page, 'sweep-lr.ipynb')).toContainText('idle');
    await expect(row(page, 'sweep-lr.ipynb')).toContainText('1.0 GiB');
    await expect(section(page)).not.toContainText('train.ipynb');
    await expect(row(page, 'Other programs')).toContainText('MiB');
    await picture(page, 'notebooks', page.locator('#gpu-headroom-panel'));

    const shutDown = row(page, 'sweep-lr.ipynb').getByRole('button');
    const dialog = page.locator('.jp-Dialog');
    await shutDown.click();
    await expect(dialog).toContainText(
      'Shut down the kernel of sweep-lr.ipynb?'
    );
    await expect(dialog).toContainText('1.0 GiB. Its variables are lost.');
    expect.soft(await faultsOf(page, '.jp-Dialog')).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await modelOf(page, path)).not.toBeNull();

    await shutDown.click();
    await dialog.getByRole('button', { name: 'Shut down' }).click();
    await expect(row(page, 'sweep-lr.ipynb')).toHaveCount(0);
    await expect(page.locator('.Toastify__toast')).toHaveText(
      /The kernel of sweep-lr\.ipynb was shut down: 1\.0 GiB\./
    );
    expect(await modelOf(page, path)).toBeNull();
    expect(await notebook.value<number>('held.numel()')).toBe(2 ** 30);
    await other.page.close();
  });

  test('should not be disturbed by being asked', async ({
    baseURL,
    context,
    open,
    page,
    write
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD]));
    const path = await write(
      'sweep-lr.ipynb',
      notebookOf([SIMULATE, HOLD, WAIT])
    );
    const other = await openElsewhere(context, baseURL, path);
    await other.runUpTo(1);
    // What its own page hears of its cells has come by then.
    await notebook.runUpTo(1);
    const before = await expectModel(page, path);
    await notebook.execute('gpu-headroom:show-panel');
    await expect(row(page, 'sweep-lr.ipynb')).toContainText('idle');
    expect(await expectModel(page, path)).toMatchObject({
      execution_state: 'idle',
      last_activity: before.last_activity
    });

    await other.start(2);
    await expect(row(page, 'sweep-lr.ipynb')).toContainText('busy');
    expect((await expectModel(page, path)).execution_state).toBe('busy');
    await other.waitUntilIdle();
    await expect(row(page, 'sweep-lr.ipynb')).toContainText('idle');
    await other.page.close();
  });

  test('should not be asked without a page unless told to', async ({
    baseURL,
    context,
    open,
    page,
    write
  }) => {
    const path = await write('sweep-lr.ipynb', notebookOf([SIMULATE, HOLD]));
    const other = await openElsewhere(context, baseURL, path);
    await other.runUpTo(1);
    await other.page.close();
    const notebook = await open(notebookOf([SIMULATE, HOLD]));
    await notebook.runUpTo(1);
    await notebook.execute('gpu-headroom:show-panel');
    await expect(section(page)).toContainText(
      '1 kernel without a connected page was skipped'
    );
    await expect(row(page, 'sweep-lr.ipynb')).toHaveCount(0);
    await section(page).getByRole('button', { name: 'Ask anyway' }).click();
    await expect(row(page, 'sweep-lr.ipynb')).toContainText('1.0 GiB');
  });
});
