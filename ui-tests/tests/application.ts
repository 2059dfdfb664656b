import { test as base } from '@jupyterlab/galata';
import { type INotebookContent } from '@jupyterlab/nbformat';

import type { ConsoleMessage } from '@playwright/test';

import { Notebook } from './notebook';

export { expect } from '@jupyterlab/galata';

/** A server that no other test uses at the same time. */
export interface IServer {
  port: number;
  /** The folder with its notebooks and all that it is told. */
  home: string;
}

/** What the tests of this project are given on top of galata's. */
interface IFixtures {
  server: IServer;

  /** Write a notebook beside those of the server. Returns its path. */
  write: (name: string, content: INotebookContent) => Promise<string>;

  /** Write a notebook and open it, in the application that is under test. */
  open: (
    content: INotebookContent,
    options?: IOpenOptions
  ) => Promise<Notebook>;

  /** A failed test prints what the page showed, and its warnings. */
  traces: undefined;
}

interface IOpenOptions {
  name?: string;
  /** Return as soon as the notebook is on screen, whatever its kernel does. */
  early?: boolean;
}

/** The gauge, the popup, notifications and the outputs of cells. */
const SURFACES = [
  '.jp-GpuHeadroom-gauge',
  '.jp-GpuHeadroom-popup',
  '.Toastify__toast',
  '.jp-Cell-outputWrapper'
].join(', ');

/**
 * JupyterLab 4.2 now and then puts all items of a toolbar away when a page is
 * loaded, with room for all of them, until the window changes.
 */
const EMPTIED_TOOLBAR =
  '.jp-NotebookPanel-toolbar:not(:has(> [data-jp-item-name=save])) > [data-jp-item-name=toolbar-popup-opener]';

/**
 * galata's test, for JupyterLab and for Notebook 7: a test opens its notebook
 * by the address of that, which both have.
 */
export const test = base.extend<IFixtures>({
  autoGoto: false,
  server: async ({}, use, { config, parallelIndex }) => {
    const { servers } = config.metadata as { servers: IServer[] };
    const server = servers[parallelIndex];
    if (server === undefined) {
      throw new Error(`There is no server for worker ${parallelIndex}.`);
    }
    await use(server);
  },
  baseURL: async ({ server }, use) => {
    await use(`http://localhost:${server.port}`);
  },
  // galata would stand between the page and the server, and trip over a reload.
  kernels: null,
  sessions: null,
  terminals: null,
  waitForApplication: async ({ baseURL }, use) => {
    // galata waits for a launcher, which a notebook's own address does not open.
    await use(async page => {
      await page.locator('#jupyterlab-splash').waitFor({ state: 'detached' });
      await page.waitForFunction(
        url => window.location.href.startsWith(url),
        baseURL ?? ''
      );
    });
  },
  write: async ({ request, tmpPath }, use) => {
    await use(async (name, content) => {
      const path = `${tmpPath}/${name}`;
      const response = await request.put(`/api/contents/${path}`, {
        data: { type: 'notebook', format: 'json', content }
      });
      if (!response.ok()) {
        throw new Error(`${path} was not written: ${await response.text()}`);
      }
      return path;
    });
  },
  traces: [
    async ({ page }, use, testInfo) => {
      const lines = new Set<string>();
      const note = (message: ConsoleMessage): void => {
        if (['warning', 'error'].includes(message.type())) {
          lines.add(`${message.type()}: ${message.text()}`);
        }
      };
      page.on('console', note);
      await use(undefined);
      page.off('console', note);
      if (testInfo.status !== testInfo.expectedStatus) {
        const shown = await page
          .locator(SURFACES)
          .allInnerTexts()
          .catch(() => []);
        // The reporter prints the first 300 characters of an attachment.
        console.error([testInfo.title, ...shown, ...lines].join('\n'));
      }
    },
    { auto: true }
  ],
  open: async ({ page, write, baseURL, appPath }, use) => {
    await page.addLocatorHandler(page.locator(EMPTIED_TOOLBAR), async () => {
      const size = page.viewportSize();
      if (size) {
        await page.setViewportSize({ ...size, width: size.width - 1 });
        await page.setViewportSize(size);
      }
    });
    await use(async (content, { name = 'train.ipynb', early = false } = {}) => {
      const path = await write(name, content);
      const folder = appPath === '/lab' ? 'lab/tree' : 'notebooks';
      await page.goto(`${baseURL}/${folder}/${path}`);
      const notebook = new Notebook(page, path);
      await notebook.waitUntilOpen(early);
      return notebook;
    });
    const sessions = await page.request.get('/api/sessions');
    for (const { id } of (await sessions.json()) as { id: string }[]) {
      await page.request.delete(`/api/sessions/${id}`);
    }
  }
});
