import path from 'node:path';

import type { Locator, Page } from '@playwright/test';

const FOLDER = path.join(__dirname, '..', '..', 'docs', 'images');

const THEMES = { light: 'JupyterLab Light', dark: 'JupyterLab Dark' };

/** `make images` asks for them; the tests of every day leave the files alone. */
export const ARE_WANTED = Boolean(process.env.GPU_HEADROOM_IMAGES);

/**
 * Keep a picture of a step, light and dark, in `docs/images/`.
 *
 * @param what - the page, or the part of it that matters
 */
export async function picture(
  page: Page,
  name: string,
  what: Locator | Page = page
): Promise<void> {
  if (!ARE_WANTED) {
    return;
  }
  for (const [variant, theme] of Object.entries(THEMES)) {
    await changeTheme(page, theme);
    await what.screenshot({
      animations: 'disabled',
      path: path.join(FOLDER, `${name}-${variant}.png`)
    });
  }
  await changeTheme(page, THEMES.light);
}

/** Change the theme and wait until its colours are there. */
export async function changeTheme(page: Page, theme: string): Promise<void> {
  await page.evaluate(
    args => window.jupyterapp.commands.execute('apputils:change-theme', args),
    { theme }
  );
  await page
    .locator(`body[data-jp-theme-name="${theme}"]`)
    .waitFor({ state: 'attached' });
}
