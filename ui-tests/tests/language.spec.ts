import { galata } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import { expect, test } from './application';
import { MODEL, notebookOf, SIMULATE, TRAIN } from './cells';
import { notebookWith, savedReport } from './savedreport';
import { reportIn, gauge } from './surfaces';

/**
 * What a place says in words without brackets around them, besides code, the
 * units of sizes and Jupyter's own prompt of a cell.
 */
function untranslated(place: Locator): Promise<string[]> {
  return place.evaluate(host => {
    const rest = (text: string): string => {
      const left = text.replace(/⟦[^⟦⟧]*⟧/g, '');
      return left === text ? text : rest(left);
    };
    const copy = host.cloneNode(true) as HTMLElement;
    // Names of programs are the same in all languages.
    copy.querySelectorAll('code, svg, .jp-mod-versions').forEach(node => {
      node.remove();
    });
    const spoken = [...copy.querySelectorAll('[aria-label], [title]')].flatMap(
      node => [node.getAttribute('aria-label'), node.getAttribute('title')]
    );
    return [copy.textContent, ...spoken]
      .map(text => rest(text ?? '').replace(/[KMGT]iB|\bIn \[\d+\]/g, ''))
      .filter(text => /\p{Letter}/u.test(text));
  });
}

/** The server offers a language in which each sentence of ours is in brackets. */
test.describe('In another language', () => {
  test.use({
    mockSettings: {
      ...galata.DEFAULT_SETTINGS,
      '@jupyterlab/translation-extension:plugin': { locale: 'ach_UG' }
    }
  });

  test('should be every sentence of a live report, before and after freeing', async ({
    open,
    page
  }) => {
    const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
    await notebook.runUpTo(2);
    const failure = reportIn(notebook.cell(2));
    await expect(failure).toContainText('⟦Out of simulated GPU memory⟧');
    const free = failure.getByRole('button', { name: '⟦Free now⟧' });
    await expect(free).toBeVisible();
    expect(await untranslated(failure)).toEqual([]);
    await free.click();
    await expect(failure).toContainText(/GiB freed/);
    expect(await untranslated(failure)).toEqual([]);
    expect(await untranslated(gauge(page))).toEqual([]);
  });

  test('should be what is known of a saved report', async ({ open }) => {
    const notebook = await open(notebookWith(savedReport()));
    const saved = reportIn(notebook.cell(0));
    await expect(saved).toContainText('⟦Out of GPU memory⟧');
    // What no catalogue has stays in its own words.
    await expect(saved).toContainText('Activations fill the GPU.');
    await expect(saved).toContainText('⟦Requested⟧');
  });
});
