import type { IDocumentWidget } from '@jupyterlab/docregistry';
import type { APIRequestContext, Locator } from '@playwright/test';

import { expect, test } from './application';
import { notebookOf, SIMULATE, writeTraining } from './cells';
import type { Notebook } from './notebook';
import { reportIn } from './surfaces';

/** A script beside the notebook that trains with what its command line says. */
const SCRIPT = writeTraining('training_script.py');

const RUN = '%run training_script.py --batch-size 32768';

test.describe('The number of a script', () => {
  test('should be made smaller on its command line, and taken back', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, SCRIPT, RUN]));
    await notebook.runUpTo(2);
    const failure = reportIn(notebook.cell(2));
    await expect(failure).toContainText('Out of simulated GPU memory');
    await expect(failure).toContainText('--batch-size 16384');

    await failure.getByRole('button', { name: 'Make it fit' }).click();
    const question = page.locator('.jp-Dialog');
    await expect(question).toContainText('trains again');
    await question.getByRole('button', { name: 'Run it again' }).click();
    const notice = page.locator('.Toastify__toast');
    await expect(notice).toContainText(/batch_size = \d+ fits: peak/);
    const edited = await notebook.source(2);
    const [, size] = /--batch-size (\d+)$/.exec(edited) ?? [];
    expect(Number(size)).toBeLessThan(32768);
    await expect(notebook.cell(2)).toContainText(`trained with ${size}`);

    await notice.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => notebook.source(2)).toBe(RUN);
  });
});

/** A script that says itself with how much it trains. */
const FIXED = `import torch
from torch.utils.data import DataLoader, TensorDataset

BATCH = 32768

layers = [torch.nn.Linear(1024, 1024) for _ in range(40)]
model = torch.nn.Sequential(*layers).cuda()
optimizer = torch.optim.AdamW(model.parameters())
data = TensorDataset(torch.zeros(65536, 1024))
for (batch,) in DataLoader(data, batch_size=BATCH):
    optimizer.zero_grad()
    model(batch.cuda()).sum().backward()
    optimizer.step()
print("trained with", BATCH)
`;

/** A file beside a notebook, as others see and write it. */
class Script {
  constructor(
    private readonly _request: APIRequestContext,
    notebook: Notebook
  ) {
    const folder = notebook.path.slice(0, notebook.path.lastIndexOf('/'));
    this.path = `${folder}/fixed_script.py`;
  }

  readonly path: string;

  async text(): Promise<string> {
    const response = await this._request.get(
      `/api/contents/${this.path}?type=file&format=text`
    );
    return ((await response.json()) as { content: string }).content;
  }

  async write(content: string): Promise<void> {
    const data = { type: 'file', format: 'text', content };
    await this._request.put(`/api/contents/${this.path}`, { data });
  }
}

test.describe('A number that stands in a script', () => {
  let notebook: Notebook;
  let script: Script;
  let failure: Locator;

  test.beforeEach(async ({ open, request }) => {
    notebook = await open(notebookOf([SIMULATE, '%run fixed_script.py']));
    script = new Script(request, notebook);
    await script.write(FIXED);
    await notebook.runUpTo(1);
    failure = reportIn(notebook.cell(1));
  });

  const press = (name: string): Promise<void> =>
    failure.getByRole('button', { name, exact: true }).first().click();

  test('should be edited there, and put back', async () => {
    const diff = failure.locator('.jp-GpuHeadroomReport-diff').first();
    await expect(diff).toContainText('fixed_script.py');
    await expect(diff).toContainText('BATCH = 32768');
    await press('Apply to fixed_script.py');
    await expect(failure).toContainText('Applied, not run yet.');
    const edited = await script.text();
    const [, size] = /^BATCH = (\d+)$/m.exec(edited) ?? [];
    expect(Number(size)).toBeLessThan(32768);
    expect(edited).toBe(FIXED.replace('32768', size ?? ''));
    expect(await notebook.source(1)).toBe('%run fixed_script.py');

    await press('Undo');
    await expect.poll(() => script.text()).toBe(FIXED);
  });

  test('should be edited and run', async ({ page }) => {
    await press('Apply to fixed_script.py and re-run In [2]');
    const question = page.locator('.jp-Dialog');
    await expect(question).toContainText('layers, model, optimizer');
    await question
      .getByRole('button', { name: 'Delete and run again' })
      .click();
    await expect(notebook.cell(1)).toContainText(/trained with \d+/);
    expect(await script.text()).not.toBe(FIXED);
  });

  test('should be made to fit, and put back', async ({ page }) => {
    await press('Make it fit');
    await page
      .locator('.jp-Dialog')
      .getByRole('button', { name: 'Delete and run again' })
      .click();
    const notice = page.locator('.Toastify__toast');
    await expect(notice).toContainText(/BATCH = \d+ fits: peak/);
    const [, size] = /^BATCH = (\d+)$/m.exec(await script.text()) ?? [];
    expect(Number(size)).toBeLessThan(32768);
    await expect(notebook.cell(1)).toContainText(`trained with ${size}`);
    await notice.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => script.text()).toBe(FIXED);
  });

  test('should be left alone where the file was changed since', async () => {
    const mine = `${FIXED}# mine\n`;
    await script.write(mine);
    await press('Apply to fixed_script.py');
    await expect(failure).toContainText('fixed_script.py was changed');
    expect(await script.text()).toBe(mine);
  });

  test('should not be put back over what was written since', async () => {
    await press('Apply to fixed_script.py');
    await expect(failure).toContainText('Applied, not run yet.');
    await script.write('# mine\n');
    await press('Undo');
    await expect(failure).toContainText(
      'fixed_script.py was changed meanwhile'
    );
    expect(await script.text()).toBe('# mine\n');
  });

  test('should reach an editor, but not what that has not saved', async ({
    page,
    appPath
  }) => {
    test.skip(appPath !== '/lab', 'Notebook 7 opens it in another page.');
    // Line ends of Windows: an editor shows the file without them.
    const saved = FIXED.replaceAll('\n', '\r\n');
    await script.write(saved);
    // On a new GPU, without what the first try has left.
    await notebook.runUpTo(1);
    const text = (change: string | null): Promise<string> =>
      page.evaluate(
        async ([path, typed]) => {
          const { commands, shell } = window.jupyterapp;
          const before = shell.currentWidget;
          const editor = (await commands.execute('docmanager:open', {
            path,
            factory: 'Editor',
            options: { mode: 'split-right' }
          })) as IDocumentWidget;
          const { model, ready } = editor.context;
          await ready;
          if (typed !== null) {
            model.fromString(typed);
          }
          shell.activateById(before?.id ?? '');
          return model.toString();
        },
        [script.path, change] as const
      );
    expect(await text(null)).toBe(FIXED);
    await press('Apply to fixed_script.py');
    await expect(failure).toContainText('Applied, not run yet.');
    const edited = await script.text();
    expect(edited).toMatch(/\r\nBATCH = \d+\r\n/);
    expect(await text(null)).toBe(edited.replaceAll('\r\n', '\n'));
    await press('Undo');
    await expect.poll(() => text(null)).toBe(FIXED);
    expect(await script.text()).toBe(saved);

    await text('# typed');
    await press('Apply to fixed_script.py');
    await expect(failure).toContainText('has unsaved changes');
    expect(await text(null)).toBe('# typed');
    expect(await script.text()).toBe(saved);
  });
});
