import path from 'node:path';

import type { Cell } from './colab';

const FOLDER = path.join(__dirname, '..', '..', 'docs', 'images');

/** `make images` asks for them; the tests of every day leave the files alone. */
const ARE_WANTED = Boolean(process.env.GPU_HEADROOM_IMAGES);

/** Keep a picture of a cell's frame, light and dark, in `docs/images/`. */
export async function picture(cell: Cell, name: string): Promise<void> {
  if (!ARE_WANTED) {
    return;
  }
  for (const theme of ['dark', 'light']) {
    await cell.page.evaluate(chosen => {
      document.body.className = chosen;
    }, theme);
    await cell.frame.locator('html').evaluate((root, chosen) => {
      root.setAttribute('theme', chosen);
    }, theme);
    await cell.element.locator('iframe').screenshot({
      animations: 'disabled',
      path: path.join(FOLDER, `colab-${name}-${theme}.png`)
    });
  }
}
