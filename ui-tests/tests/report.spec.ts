import { galata } from '@jupyterlab/galata';
import type { CodeCell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Locator, Page } from '@playwright/test';

import { expect, test } from './application';
import { HOLD, MODEL, notebookOf, SIMULATE, TRAIN } from './cells';
import type { Notebook } from './notebook';
import { changeTheme } from './pictures';
import {
  type Bundle,
  MIME_TYPE,
  missingIn,
  sentencesOf,
  suggestionIn,
  textOf
} from './reading';
import { notebookWith, savedReport } from './savedreport';
import { reportIn, gauge } from './surfaces';

/** The buttons that do something to a kernel or to a cell. */
function actions(of: Locator): Locator {
  return of.getByRole('button', { name: /^(Free|Apply|Set|Re-run|Undo)/ });
}

/** The smaller batch that a report proposes, as its diff shows it. */
async function proposed(failure: Locator): Promise<string> {
  const row = failure.locator('.jp-mod-added').first();
  const [size] = /\d+$/.exec((await row.innerText()).trim()) ?? [''];
  expect(Number(size)).toBeGreaterThan(0);
  expect(Number(size)).toBeLessThan(32_768);
  return size;
}

/** More names than a report's first look has time for. */
const HEAP = `import torch
from torch import nn

globals().update({f"name_{n}": {"a": {"b": [n]}} for n in range(100_000)})
model = nn.Linear(1024, 1024).cuda()`;

const LEAK = `losses = []
while True:
    loss = model(torch.randn(65536, 1024, device="cuda")).sum()
    losses.append(loss)`;

/** Note whether these words ever stand on the page. */
async function noteWords(page: Page, words: string): Promise<void> {
  await page.evaluate(text => {
    const noted = window as { noted?: boolean };
    noted.noted = false;
    new MutationObserver(() => {
      const isThere = document.body.innerText.includes(text);
      noted.noted = isThere ? true : noted.noted;
    }).observe(document.body, { childList: true, subtree: true });
  }, words);
}

function notedWords(page: Page): Promise<boolean | undefined> {
  return page.evaluate(() => (window as { noted?: boolean }).noted);
}

/** Whether the notebook has changes to save, and whether it is trusted. */
function standing(page: Page): Promise<{ dirty: boolean; trusted: boolean }> {
  return page.evaluate(() => {
    const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
    const cells = [...(panel.content.model?.cells ?? [])];
    return {
      dirty: panel.context.model.dirty,
      trusted: cells.every(cell => cell.trusted)
    };
  });
}

/** What a saved notebook's report carries. */
function bundleIn(text: string): Bundle {
  const { cells } = JSON.parse(text) as {
    cells: { outputs?: { data?: Record<string, unknown> }[] }[];
  };
  const found = cells
    .flatMap(({ outputs = [] }) => outputs)
    .find(({ data }) => data && MIME_TYPE in data)?.data;
  const lines = found?.['text/plain'];
  return {
    ...found,
    'text/plain': Array.isArray(lines) ? lines.join('') : lines
  };
}

test.describe('A report from elsewhere', () => {
  test('should be text, whole and without buttons', async ({ open }) => {
    const notebook = await open(notebookWith(savedReport()));
    const saved = reportIn(notebook.cell(0));
    for (const part of [
      'Out of GPU memory — needed 2.00 GiB more, 1.00 GiB was available',
      'GPU 0, Tesla T4, 15.0 GiB',
      'activations12.0',
      'Activations fill the GPU. They grow with batch_size.',
      'batch_size = 256',
      'gpu_headroom.free_traceback()',
      'Saved output from',
      'Run the cell again to get the buttons.'
    ]) {
      await expect(saved).toContainText(part);
    }
    await expect.poll(() => notebook.askHelper()).toHaveProperty('sample');
    await expect(saved).toContainText('Saved output from');
    await expect(actions(saved)).toHaveCount(0);
  });

  test('should stay text whatever the notebook claims', async ({
    open,
    page
  }) => {
    const markup = '<img src=x onerror="window.harmed = true">';
    const message = {
      id: 'report.title',
      template: markup,
      params: { name: markup },
      text: markup
    };
    const notebook = await open(
      notebookWith(
        savedReport({
          device_name: markup,
          cause: {
            rule: markup,
            claim: message,
            evidence: message,
            bytes: null
          },
          traceback_variables: [{ name: markup, kind: 'tensor', bytes: 1 }],
          parts: Array.from({ length: 10_000 }, () => ({
            kind: 'activations',
            bytes: 2 ** 52
          }))
        }),
        { version: '1.0', parts: 'none', report_id: 7 },
        { version: '1.0', report_id: '__proto__', helper_id: 'constructor' },
        null
      )
    );
    await expect(reportIn(notebook.cell(0))).toContainText('<img src=x');
    await expect(notebook.cell(0)).toContainText(
      'This saved report cannot be read.'
    );
    await expect(
      notebook.cell(0).locator('.jp-GpuHeadroomReport img')
    ).toHaveCount(0);
    expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
    await expect(actions(notebook.cell(0))).toHaveCount(0);
  });

  test('should get no buttons by naming the id of the helper', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf(['"own"']));
    await expect.poll(() => notebook.askHelper()).toHaveProperty('sample');
    const { sample } = await notebook.askHelper();
    const { helper_id } = sample as { helper_id: string };
    const [forged] = notebookWith(savedReport({ helper_id })).cells;
    await page.evaluate(cell => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      panel.content.model?.sharedModel.insertCell(0, cell as never);
    }, forged);
    await expect(reportIn(notebook.cell(0))).toContainText('Saved output from');
    await expect(actions(notebook.cell(0))).toHaveCount(0);
  });
});

test.describe('The report of a cell that ran out of memory', () => {
  /** Run out of memory in the last of these cells. */
  async function fail(notebook: Notebook): Promise<Locator> {
    const last = (await notebook.count()) - 1;
    await notebook.runUpTo(last);
    const failure = reportIn(notebook.cell(last));
    await expect(failure).toContainText('Out of simulated GPU memory');
    await expect(actions(failure).first()).toBeVisible();
    return failure;
  }

  test('should lose its buttons with the kernel that made it', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    const failure = await fail(notebook);
    await notebook.restart();
    await expect(gauge(page)).toContainText('GPU idle');
    await expect(failure).toContainText(
      'Run the cell again to get the buttons.'
    );
    await expect(actions(failure)).toHaveCount(0);
  });

  test('should keep its buttons when the page is loaded again', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    await fail(notebook);
    await notebook.execute('docmanager:save');
    await page.reload();
    await notebook.waitUntilOpen();
    const again = reportIn(notebook.cell(2));
    await expect(actions(again).first()).toBeVisible();
    await again.getByRole('button', { name: 'Free now' }).click();
    await expect(again).toContainText(/GiB freed/);
  });

  test('should apply a fix as one step, and take it back', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    const failure = await fail(notebook);
    const size = await proposed(failure);
    await failure.getByRole('button', { name: 'Apply', exact: true }).click();
    await expect(failure).toContainText('Applied, not run yet.');
    expect(await notebook.source(2)).toBe(TRAIN.replace('32768', size));

    await page.evaluate(() => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      panel.content.widgets[2]?.editor?.undo();
    });
    expect(await notebook.source(2)).toBe(TRAIN);

    await page.evaluate(() => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      panel.content.widgets[2]?.editor?.redo();
    });
    await failure.getByRole('button', { name: 'Undo' }).click();
    expect(await notebook.source(2)).toBe(TRAIN);
    await expect(
      failure.getByRole('button', { name: 'Apply', exact: true })
    ).toBeVisible();
  });

  test('should free and run again at one press', async ({ open, page }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    const failure = await fail(notebook);
    const size = await proposed(failure);
    await failure.getByRole('button', { name: 'Apply and re-run' }).click();
    await expect(notebook.cell(2)).toContainText(`trained with ${size}`);
    await expect(failure).toHaveCount(0);
    await expect(page.locator('.jp-GpuHeadroom-failedCell')).toHaveCount(0);
    expect(await notebook.value('kept')).toBe('this variable');
  });

  test('should not edit a cell that was changed since', async ({ open }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    const failure = await fail(notebook);
    const changed = TRAIN.replace('32768', '20000');
    await notebook.edit(2, changed);
    await failure.getByRole('button', { name: 'Apply', exact: true }).click();
    await expect(failure).toContainText(
      'The cell was edited after it failed; line 1 no longer matches.'
    );
    await expect(
      failure.getByRole('button', { name: 'Go to line 1' })
    ).toBeVisible();
    expect(await notebook.source(2)).toBe(changed);
  });

  test('should change nothing in a notebook that is read-only', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    const failure = await fail(notebook);
    await failure.getByRole('button', { name: 'Apply', exact: true }).click();
    await expect.poll(() => notebook.source(2)).not.toBe(TRAIN);
    const edited = await notebook.source(2);
    const lock = (isLocked: boolean): Promise<void> =>
      page.evaluate(readOnly => {
        const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
        if (panel.content.model) {
          panel.content.model.readOnly = readOnly;
        }
      }, isLocked);
    await lock(true);
    await failure.getByRole('button', { name: 'Undo' }).click();
    await expect(failure).toContainText(
      'The cell is read-only, so nothing was changed.'
    );
    expect(await notebook.source(2)).toBe(edited);
    await lock(false);
    await failure.getByRole('button', { name: 'Undo' }).click();
    await expect(
      failure.getByRole('button', { name: 'Apply', exact: true })
    ).toBeVisible();
    await lock(true);
    for (const name of ['Apply', 'Apply and re-run']) {
      await failure.getByRole('button', { name, exact: true }).click();
      await expect(failure).toContainText('The cell is read-only');
      expect(await notebook.source(2)).toBe(TRAIN);
    }
  });

  test('should be one where the running cell is deleted and that undone', async ({
    open,
    page
  }) => {
    const notebook = await open(
      notebookOf([SIMULATE, MODEL, `import time\n\ntime.sleep(5)\n${TRAIN}`])
    );
    await notebook.runUpTo(1);
    await notebook.start(2);
    const isKept = await page.evaluate(() => {
      const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
      const { outputArea } = panel.content.widgets[2] as CodeCell;
      return 'reattachFuture' in outputArea;
    });
    // Before 4.7 the outputs of such a cell go with it.
    test.skip(!isKept);
    await notebook.execute('notebook:delete-cell');
    await notebook.execute('notebook:undo-cell-action');
    const failure = reportIn(notebook.cell(2));
    await expect(actions(failure).first()).toBeVisible();
    await expect(failure).toHaveCount(1);
    await expect(reportIn(page)).toHaveCount(1);
    await expect(page.locator('.jp-GpuHeadroom-failedCell')).toHaveCount(1);
  });

  test('should name both cells where the batch size is set earlier', async ({
    open
  }) => {
    const notebook = await open(
      notebookOf([
        SIMULATE,
        MODEL,
        'batch_size = 32768',
        'train(batch_size)\nprint("it", "trained")'
      ])
    );
    const failure = await fail(notebook);
    const size = await proposed(failure);
    await failure
      .getByRole('button', {
        name: 'Apply to In [3] and re-run In [3], In [4]'
      })
      .click();
    await expect(notebook.cell(3)).toContainText('it trained');
    await notebook.waitUntilIdle();
    expect(await notebook.source(2)).toBe(`batch_size = ${size}`);
    expect(await notebook.value('batch_size')).toBe(Number(size));
  });

  test('should not offer to free what went with the error', async ({
    open
  }) => {
    const notebook = await open(
      notebookOf([
        `${SIMULATE}
import torch`,
        'many = [torch.empty(2**26, device="cuda") for step in range(40)]'
      ])
    );
    await notebook.runUpTo(1);
    const failure = reportIn(notebook.cell(1));
    await expect(failure).toContainText(
      "[torch.empty(2 ** 26, device='cuda') for step in range(40)] keeps"
    );
    await expect(failure).toContainText('The error has released them');
    await expect(failure).not.toContainText('Run the cell again to get');
    await expect(actions(failure)).toHaveCount(0);
    expect(await notebook.inUse()).toBe(0);
  });

  test('should be the same report in a second view of the notebook', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    await fail(notebook);
    await notebook.execute('docmanager:clone');
    const reports = reportIn(page);
    await expect(reports).toHaveCount(2);
    await expect(actions(reports.last()).first()).toBeVisible();
    await reports.last().getByRole('button', { name: 'Free now' }).click();
    await expect(reports.last()).toContainText(/GiB freed/);
    await expect(reports.first()).toContainText(/GiB freed/);
  });

  test('should still be there after scrolling through a long notebook', async ({
    open,
    page
  }) => {
    const filler = Array.from({ length: 120 }, (_, index) => `${index}`);
    const notebook = await open(
      notebookOf([SIMULATE, MODEL, TRAIN, ...filler])
    );
    await notebook.runUpTo(2);
    const failure = reportIn(notebook.cell(2));
    await expect(actions(failure).first()).toBeVisible();
    await scrollTo(page, 122);
    await expect(failure).not.toBeInViewport();
    await scrollTo(page, 2);
    await failure.scrollIntoViewIfNeeded();
    await failure.getByRole('button', { name: 'Free now' }).click();
    await expect(failure).toContainText(/GiB freed/);
  });

  test('should leave the notebook as it is when memory is freed', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    const failure = await fail(notebook);
    const told = await textOf(failure);
    await notebook.execute('docmanager:save');
    await expect
      .poll(() => standing(page))
      .toEqual({ dirty: false, trusted: true });
    await failure.getByRole('button', { name: 'Free now' }).click();
    await expect(failure).toContainText(/GiB freed/);
    expect(await standing(page)).toEqual({ dirty: false, trusted: true });
    const text = await notebook.saved();
    expect(text).toContain('Out of simulated GPU memory');
    expect(text).not.toContain('<button');
    // One report, and whoever reads it gets the same.
    expect(missingIn(told, sentencesOf(bundleIn(text)))).toEqual([]);
  });

  test('should be completed in place where there is much to look through', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, HEAP, LEAK]));
    await notebook.runUpTo(1);
    await noteWords(page, 'Looking further…');
    await notebook.run(2);
    const failure = reportIn(notebook.cell(2));
    await expect(failure).toContainText('losses keeps 3.0 GiB of activations');
    await expect(failure).not.toContainText('Looking further…');
    await expect(failure).toHaveCount(1);
    expect(await notedWords(page)).toBe(true);
    await expect(failure).toContainText(/losses\.append\(loss\.\w+\(\)\)/);
  });

  test('should copy what a suggestion shows', async ({ open, page }) => {
    await page
      .context()
      .grantPermissions(['clipboard-read', 'clipboard-write']);
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    const failure = await fail(notebook);
    const { code, copy, item } = await suggestionIn(failure);
    await expect(item.getByRole('button')).toHaveCount(1);
    await copy.focus();
    await page.keyboard.press('Enter');
    await expect(item.getByRole('status')).toHaveText('Copied.');
    await expect(copy).toBeFocused();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      code
    );
    expect(await notebook.source(2)).toBe(TRAIN);
  });

  test('should be copied as Markdown, and as evidence without names', async ({
    open,
    page
  }) => {
    await page
      .context()
      .grantPermissions(['clipboard-read', 'clipboard-write']);
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    const failure = await fail(notebook);
    const copied = (): Promise<string> =>
      page.evaluate(() => navigator.clipboard.readText());
    await failure.getByText('Details', { exact: true }).click();
    await failure.getByRole('button', { name: 'Copy report' }).click();
    await expect(failure).toContainText('Copied as Markdown');
    await expect.poll(copied).toContain('--> 3 train(batch_size)');
    expect(await copied()).toMatch(/\| activations \| \d+\.\d GiB \|/);
    await failure.getByRole('button', { name: 'Report a wrong diag' }).click();
    await expect.poll(copied).toContain('"rule": "activations"');
    expect(await copied()).not.toMatch(/batch_size|train\(/);
  });

  test('should mark its cell until that runs again', async ({ open, page }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    await fail(notebook);
    const marked = page.locator('.jp-GpuHeadroom-failedCell');
    await expect(marked).toHaveCount(1);
    await notebook.edit(2, 'pass');
    await notebook.run(2);
    await expect(marked).toHaveCount(0);
  });

  test('should stay readable in high contrast and without motion', async ({
    open,
    page
  }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    const failure = await fail(notebook);
    await changeTheme(page, 'JupyterLab Dark High Contrast');
    await expect(failure.getByRole('img').first()).toHaveAttribute(
      'aria-label',
      /outside .*activations /
    );
    const button = failure.getByRole('button', { name: 'Free now' });
    await button.focus();
    await page.keyboard.press('Enter');
    await expect(failure.getByRole('heading').first()).toContainText(
      /GiB freed/
    );
    await expect(failure.getByRole('heading').first()).toBeFocused();
  });

  test('should come without an extension of its own in an untrusted notebook', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookWith(savedReport()));
    await expect.poll(() => standing(page)).toMatchObject({ trusted: false });
    await expect(reportIn(notebook.cell(0))).toContainText('Out of GPU memory');
  });
});

test.describe('In a kernel into which the extension brings the helper', () => {
  // The simulated GPU stays behind: it is in the wheel only.
  const error = `import torch

raise torch.OutOfMemoryError(
    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 14.74 GiB "
    "of which 727.00 MiB is free. Including non-PyTorch memory, this process has 14.03 GiB "
    "memory in use. Of the allocated memory 12.20 GiB is allocated by PyTorch, and 1.10 GiB "
    "is reserved by PyTorch but unallocated."
)`;

  for (const name of ['without-helper', 'kernel-6.17']) {
    test(`should come too: ${name}`, async ({ open }) => {
      const notebook = await open(
        notebookOf(['"started"', error], {
          kernelspec: { name, display_name: name, language: 'python' }
        })
      );
      await notebook.run(0);
      await expect.poll(() => notebook.askHelper()).toHaveProperty('sample');
      await notebook.run(1);
      const failure = reportIn(notebook.cell(1));
      await expect(failure).toContainText(
        'Out of GPU memory — needed 2.00 GiB more, 0.71 GiB was available'
      );
      await expect(failure).not.toContainText('Saved output');
    });
  }
});

test.describe('With reports that are not kept', () => {
  test.use({
    mockSettings: {
      ...galata.DEFAULT_SETTINGS,
      'gpu-headroom:plugin': { keepReports: false }
    }
  });

  test('should show the report and save one line', async ({ open }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN, HOLD]));
    await notebook.runUpTo(2);
    const failure = reportIn(notebook.cell(2));
    await expect(failure).toContainText('Out of simulated GPU memory');
    await expect(actions(failure).first()).toBeVisible();
    const text = await notebook.saved();
    expect(text).toContain('The details are not kept in this notebook');
    expect(text).not.toContain('"parts"');
    expect(text).not.toContain('text/html');
  });
});

/** Bring a cell into view. */
async function scrollTo(page: Page, index: number): Promise<void> {
  await page.evaluate(async at => {
    const panel = window.jupyterapp.shell.currentWidget as NotebookPanel;
    await panel.content.scrollToItem(at);
  }, index);
}
