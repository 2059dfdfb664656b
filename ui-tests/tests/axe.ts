import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

import { changeTheme } from './pictures';

const THEMES = [
  'JupyterLab Light',
  'JupyterLab Dark',
  'JupyterLab Dark High Contrast'
];

/**
 * What axe-core finds wrong in a part of the page as it stands, in words.
 *
 * @param selector - of the part; in a frame, one for the frame and one within it
 */
async function faultsIn(
  page: Page,
  selector: string | string[]
): Promise<string[]> {
  // The body of JupyterLab's page has no height and hides what overflows: to axe-core
  // nothing in it is seen, and no colour of a text is looked at.
  await page.evaluate(() => {
    document.body.style.minHeight = '100vh';
  });
  const { passes, violations } = await new AxeBuilder({ page })
    .include(selector)
    // A frame that does not answer in time is passed over without a word.
    .options({ pingWaitTime: 10_000 })
    .analyze();
  if (![...passes, ...violations].some(({ id }) => id === 'color-contrast')) {
    return [`No text was looked at in ${String(selector)}.`];
  }
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ failureSummary, html }) =>
        `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`
    )
  );
}

/** The same, theme by theme of JupyterLab. */
export async function faultsOf(
  page: Page,
  selector: string
): Promise<string[]> {
  const faults = await faultsInEach(THEMES, page, selector, theme =>
    changeTheme(page, theme)
  );
  await changeTheme(page, 'JupyterLab Light');
  return faults;
}

/** The same, theme by theme of any page. */
export async function faultsInEach(
  themes: readonly string[],
  page: Page,
  selector: string | string[],
  changeTo: (theme: string) => Promise<void>
): Promise<string[]> {
  const faults: string[] = [];
  for (const theme of themes) {
    await changeTo(theme);
    // Colours fade into each other.
    await page.waitForTimeout(300);
    const found = await faultsIn(page, selector);
    faults.push(...found.map(fault => `${theme}: ${fault}`));
  }
  return faults;
}
