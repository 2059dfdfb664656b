import { writeFileSync } from 'node:fs';

import type { Page } from '@playwright/test';

import { expect, test } from './application';
import { notebookOf } from './cells';

/** Page loads of each kind, in turn. */
const ROUNDS = 12;

/** What the page reads of its server: which extensions it loads, among others. */
const CONFIG = /(<script id="jupyter-config-data"[^>]*>)(.*?)(<\/script>)/s;

interface IConfig {
  federated_extensions: { name: string }[];
}

/** Take our extension out of what the server has a page load. */
async function withoutUs(page: Page): Promise<void> {
  await page.route(/\/lab\/tree\//, async route => {
    const response = await route.fetch();
    const html = (await response.text()).replace(
      CONFIG,
      (_, start: string, text: string, end: string) => {
        const config = JSON.parse(text) as IConfig;
        config.federated_extensions = config.federated_extensions.filter(
          ({ name }) => name !== 'gpu-headroom'
        );
        return `${start}${JSON.stringify(config)}${end}`;
      }
    );
    await route.fulfill({ response, body: html });
  });
}

test('page → a notebook that can be typed in', async ({
  page,
  server,
  write
}) => {
  test.setTimeout(ROUNDS * 120_000);
  const path = await write('start.ipynb', notebookOf(['1 + 1']));
  const times_ms: Record<'with' | 'without', number[]> = {
    with: [],
    without: []
  };
  const files = new Set<string>();
  page.on('response', response => {
    const [, file] =
      /\/lab\/extensions\/gpu-headroom\/static\/([^?]+)/.exec(response.url()) ??
      [];
    if (file) {
      files.add(file);
    }
  });
  for (let round = -1; round < ROUNDS; round++) {
    for (const kind of ['with', 'without'] as const) {
      await page.unrouteAll();
      if (kind === 'without') {
        await withoutUs(page);
      } else {
        // The other page goes through the same hands.
        await page.route(/\/lab\/tree\//, async route => {
          await route.fulfill({ response: await route.fetch() });
        });
      }
      const begin_ms = performance.now();
      await page.goto(`http://localhost:${server.port}/lab/tree/${path}?reset`);
      await expect(page.locator('.jp-CodeCell .cm-content')).toBeVisible();
      await expect(page.locator('#jupyterlab-splash')).toBeHidden();
      if (round >= 0) {
        times_ms[kind].push(performance.now() - begin_ms);
      }
      const gauge = page.locator('.jp-GpuHeadroom-gauge').first();
      await expect(gauge).toBeVisible({ visible: kind === 'with' });
    }
  }
  const { GPU_HEADROOM_LATENCIES: file } = process.env;
  if (file) {
    writeFileSync(file, JSON.stringify({ ...times_ms, files: [...files] }));
  }
});
