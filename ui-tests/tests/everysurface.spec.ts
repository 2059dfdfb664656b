import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INotebookContent } from '@jupyterlab/nbformat';

import type { Page } from '@playwright/test';

import { expect, test } from './application';
import { faultsOf } from './axe';
import { codeCell, HOLD, LIGHT, notebookOf, SIMULATE } from './cells';
import { MIME_TYPE } from './reading';
import { notebookWith, savedReport } from './savedreport';
import { reportIn, gauge, popup } from './surfaces';

const GAUGE = '.jp-GpuHeadroom-gauge';
const REPORTS = '.jp-GpuHeadroomReport';
const PANEL = '#gpu-headroom-panel';

/** Reports as the helper saves them. */
const SAMPLES = join(
  __dirname,
  '../../python_helper/tests/samples/reports.json'
);

/** Raises as native code does; no GPU here can really stop. */
const STOP = `import ctypes

import torch

error = torch.AcceleratorError("CUDA error: device-side assert triggered")
ctypes.pythonapi.PyErr_SetObject(
    ctypes.py_object(type(error)), ctypes.py_object(error)
)`;

/** Keeps half a GiB more each time it runs. */
const GROW = `import torch

kept = globals().get("kept", []) + [torch.empty(2**29, dtype=torch.uint8, device="cuda")]`;

/** The same under a heading of the person's, as the level of ours expects one in Notebook. */
function titled(content: INotebookContent): INotebookContent {
  const heading = {
    id: 'heading',
    cell_type: 'markdown',
    source: '## Training',
    metadata: {}
  };
  return { ...content, cells: [heading, ...content.cells] };
}

/** What is scrolled out of sight is not looked at. */
async function seeAll(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1366, height: 3000 });
}

/** The popup, open over the gauge, and the gauge under it. */
async function gaugeAndPopup(page: Page, says: string): Promise<string[]> {
  const faults = await faultsOf(page, GAUGE);
  await gauge(page).click();
  await expect(popup(page)).toContainText(says);
  faults.push(...(await faultsOf(page, '[role=dialog]')));
  await page.keyboard.press('Escape');
  return faults;
}

test.describe('axe-core finds nothing wrong with', () => {
  test.slow();

  test('the gauge, its popup and the panel without numbers', async ({
    open,
    page
  }) => {
    const notebook = await open(LIGHT);
    await expect(gauge(page)).toContainText('GPU idle');
    expect
      .soft(await gaugeAndPopup(page, 'Nothing on the GPU yet'))
      .toEqual([]);
    await notebook.execute('gpu-headroom:show-panel');
    await expect(page.locator(PANEL)).toBeVisible();
    expect.soft(await faultsOf(page, PANEL)).toEqual([]);
  });

  test('the gauge and its popup where there is no kernel any more', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HOLD]));
    await notebook.runUpTo(1);
    await expect(gauge(page)).toContainText('1.3 / 4.0 GiB');
    await page.request.delete(`/api/kernels/${await notebook.kernelId()}`);
    await expect(gauge(page)).toContainText('not connected');
    expect.soft(await gaugeAndPopup(page, 'nothing is measured')).toEqual([]);
  });

  test('reports that were saved, whatever saved them', async ({
    open,
    page
  }) => {
    const samples = JSON.parse(readFileSync(SAMPLES, 'utf-8')) as Record<
      string,
      Record<string, unknown>
    >;
    const outputs = Object.values(samples);
    const cells = outputs.map((bundle, index) => {
      // Of one notebook, in which each cell has its number.
      const data = {
        ...bundle,
        [MIME_TYPE]: {
          ...(bundle[MIME_TYPE] as object),
          ...('text/html' in bundle && { execution_count: index + 1 })
        }
      };
      const output = { output_type: 'display_data', metadata: {}, data };
      return codeCell(`cell-${index}`, '', [output]);
    });
    await open(titled({ ...notebookOf([]), cells }), { early: true });
    await page.setViewportSize({ width: 1366, height: 8_000 });
    await expect(page.locator(REPORTS)).toHaveCount(outputs.length);
    await page.locator(`${REPORTS} summary`).evaluateAll(folds => {
      for (const fold of folds) {
        (fold as HTMLElement).click();
      }
    });
    expect(await faultsOf(page, REPORTS)).toEqual([]);
  });

  test('a report that cannot be read', async ({ open, page }) => {
    await open(notebookWith(savedReport({ parts: 'none' })), { early: true });
    await expect(page.locator(REPORTS)).toContainText('cannot be read');
    expect(await faultsOf(page, REPORTS)).toEqual([]);
  });

  test('what tells that CUDA has stopped', async ({ open, page }) => {
    const notebook = await open(titled(notebookOf([SIMULATE, HOLD, STOP])));
    await notebook.runUpTo(3);
    await expect(gauge(page)).toContainText('restart needed');
    await seeAll(page);
    await expect(reportIn(notebook.cell(3))).toContainText(
      'only a restart helps'
    );
    expect.soft(await faultsOf(page, REPORTS)).toEqual([]);
    expect.soft(await gaugeAndPopup(page, 'Only a restart helps')).toEqual([]);
    await notebook.execute('gpu-headroom:show-panel');
    await expect(page.locator(PANEL)).toContainText('CUDA has stopped');
    expect.soft(await faultsOf(page, PANEL)).toEqual([]);
  });

  test('badges that grow and are out of date, and what is near full', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, GROW, HOLD]));
    await notebook.run(0);
    for (let round = 0; round < 5; round++) {
      await notebook.run(1);
    }
    await notebook.run(2);
    await notebook.edit(2, `${HOLD}\nheld = None`);
    const badges = page.locator('.jp-GpuHeadroom-badgeRow:not(.lm-mod-hidden)');
    await expect(badges.last()).toContainText('before the edit');
    await seeAll(page);
    expect
      .soft(
        await faultsOf(page, '.jp-GpuHeadroom-badgeRow:not(.lm-mod-hidden)')
      )
      .toEqual([]);
    expect.soft(await gaugeAndPopup(page, 'Headroom')).toEqual([]);
  });
});
