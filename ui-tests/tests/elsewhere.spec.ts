import { expect, test } from './application';
import { HOLD, notebookOf } from './cells';
import type { Notebook } from './notebook';
import { gauge, popup } from './surfaces';
import { Traffic } from './traffic';

const SENTENCE =
  'This kernel is called Python but does not run IPython, so GPU Headroom does not start in it.';

/** A notebook for a kernel that is Python by name. */
const notebookFor = (name: string): ReturnType<typeof notebookOf> =>
  notebookOf(['what came?', HOLD], {
    kernelspec: { name, display_name: name, language: 'python' }
  });

/** What the kernel was sent silently: code and expressions. */
async function notes(notebook: Notebook): Promise<[string, object][]> {
  await notebook.run(0);
  const output = notebook.cell(0).locator('.jp-OutputArea-output pre');
  return JSON.parse(await output.innerText()) as [string, object][];
}

test.describe('A kernel that hands on what it is sent', () => {
  for (const name of ['wrapper', 'forwarder'] as const) {
    test(`should get one short question at most: ${name}`, async ({
      open,
      page
    }) => {
      const traffic = new Traffic(page);
      const notebook = await open(notebookFor(name));
      await expect(gauge(page)).toContainText('GPU — not measured');
      await expect(gauge(page)).toHaveAttribute('title', SENTENCE);
      await gauge(page).click();
      await expect(popup(page)).toContainText(SENTENCE);
      // Nothing is offered that would send code there.
      await expect(popup(page).getByRole('button')).toHaveCount(0);
      await page.keyboard.press('Escape');

      await notebook.restart();
      await notebook.run(1);
      await expect(gauge(page)).toHaveAttribute('title', SENTENCE);
      const sent = traffic.to(await notebook.kernelId());
      // Once for each helper.
      expect(sent.requests).toBe(2);
      expect(Math.max(0, ...sent.silent)).toBeLessThan(1000);
      const got = await notes(notebook);
      expect(got).toHaveLength(name === 'wrapper' ? 0 : 1);
      for (const [code, expressions] of got) {
        expect(code).toBe('');
        expect(Object.keys(expressions)).toHaveLength(1);
      }
    });
  }
});
