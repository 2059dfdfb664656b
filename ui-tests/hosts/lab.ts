import type { INotebookContent } from '@jupyterlab/nbformat';

import type { Page } from '@playwright/test';

import { Notebook } from '../tests/notebook';

/** Wait for JupyterLab, wherever its page is. */
export async function waitForLab(page: Page): Promise<void> {
  await page.locator('#jupyterlab-splash').waitFor({ state: 'detached' });
  await page.waitForFunction(() => 'jupyterapp' in window);
  await page.evaluate(() => window.jupyterapp.restored.then(() => undefined));
}

/** Write a notebook by the page's own services, which know the host's ways, and show it. */
export async function openNotebook(
  page: Page,
  path: string,
  content: INotebookContent
): Promise<Notebook> {
  await page.evaluate(
    async ([to, notebook]) => {
      await window.jupyterapp.serviceManager.contents.save(to, {
        type: 'notebook',
        format: 'json',
        content: notebook
      });
    },
    [path, content] as const
  );
  return Notebook.show(page, path);
}
