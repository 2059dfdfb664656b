import path from 'node:path';

import { faultsInEach } from '../tests/axe';
import type { Cell } from './colab';

const FOLDER = path.join(__dirname, '..', '..', 'docs', 'images');

/** `make images` asks for them; the tests of every day leave the files alone. */
const ARE_WANTED = Boolean(process.env.GPU_HEADROOM_IMAGES);

const THEMES = ['dark', 'light'];

/** Change the theme of the page and of a cell's frame, as Colab does both. */
async function changeTheme(cell: Cell, theme: string): Promise<void> {
  await cell.page.evaluate(chosen => {
    document.body.className = chosen;
  }, theme);
  await cell.frame.locator('html').evaluate((root, chosen) => {
    root.setAttribute('theme', chosen);
  }, theme);
}

/** What axe-core finds wrong in a cell's frame, light and dark. */
export function faultsOf(cell: Cell): Promise<string[]> {
  return faultsInEach(THEMES, cell.page, ['iframe', 'body'], theme =>
    changeTheme(cell, theme)
  );
}

/** Keep a picture of a cell's frame, light and dark, in `docs/images/`. */
export async function picture(cell: Cell, name: string): Promise<void> {
  if (!ARE_WANTED) {
    return;
  }
  for (const theme of THEMES) {
    await changeTheme(cell, theme);
    await cell.element.locator('iframe').screenshot({
      animations: 'disabled',
      path: path.join(FOLDER, `colab-${name}-${theme}.png`)
    });
  }
}
