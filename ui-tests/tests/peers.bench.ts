import path from 'node:path';

import { expect, test } from './application';
import { Burden, type IBurden } from './burden';
import { allocateFor, LIGHT, notebookOf } from './cells';
import { report } from './latency';
import { Notebook } from './notebook';
import { setHidden } from './traffic';

const SIZES = (process.env.GPU_HEADROOM_NOTEBOOKS ?? '1').split(' ');

/** Much is asked once a minute: of thirty kernels half of it comes by. */
const REST_MS = 30_000;
const WATCHED_MS = 15_000;

/** On PyTorch for CUDA over the stub. */
const BUSY = [
  'import torch\n\ntorch.zeros(1, device="cuda")',
  process.env.GPU_HEADROOM_PREPARE ?? '',
  allocateFor(WATCHED_MS / 1000 + 8)
];
const CUDA = {
  kernelspec: { name: 'cuda', display_name: 'CUDA', language: 'python' }
};

/** What a page, its server and its kernels do because of one way to look at a GPU. */
type Measured = Record<'rest' | 'hidden' | 'working', IBurden>;

test('a page at rest, hidden, and with a cell at work', async ({
  open,
  page,
  server,
  write
}) => {
  test.setTimeout(1_800_000);
  const burden = await Burden.of(page, path.join(server.home, 'runtime'));
  const busy = await open(notebookOf(BUSY, CUDA));
  const { GPU_HEADROOM_PEER: peer } = process.env;
  if (peer === 'gpu-headroom') {
    await expect(page.locator('.jp-GpuHeadroom-gauge').first()).toBeVisible();
  } else if (peer === 'jupyterlab-nvdashboard') {
    const widget = { id: 'gpu-memory-widget', title: 'GPU Memory' };
    await busy.execute('gpu-dashboard-widget:open', widget);
    await expect(page.locator('.gradient-background')).toBeVisible();
  } else if (peer) {
    await expect(page.locator('#jp-main-statusbar')).toContainText('Mem:');
  }
  await Notebook.show(page, busy.path);
  await busy.runUpTo(1);
  const found: Record<string, Measured> = {};
  let opened = 1;
  for (const size of SIZES) {
    for (; opened < Number(size); opened++) {
      const light = await Notebook.show(
        page,
        await write(`light-${opened}.ipynb`, LIGHT)
      );
      await light.runUpTo(1);
    }
    await Notebook.show(page, busy.path);
    await page.waitForTimeout(5000);
    const rest = await burden.measure(REST_MS);
    await setHidden(page, true);
    await page.waitForTimeout(2000);
    const hidden = await burden.measure(WATCHED_MS);
    await setHidden(page, false);
    await busy.start(2);
    await page.waitForTimeout(2000);
    const working = await burden.measure(WATCHED_MS);
    await busy.waitUntilIdle();
    found[size] = { rest, hidden, working };
  }
  report(found);
});
