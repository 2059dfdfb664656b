import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import type { Locator, Page } from '@playwright/test';

import { expect, test } from './application';
import { at, DEMO } from './demo';
import { ARE_WANTED } from './pictures';
import { reportIn } from './surfaces';

/** `docs/story.py` makes the animated picture of what is here. */
const FRAMES = path.join(__dirname, '..', '..', '.make', 'story');

/** Films a page: frames are named by their number and how long they stand. */
class Camera {
  constructor(private readonly _page: Page) {
    rmSync(FRAMES, { recursive: true, force: true });
    mkdirSync(FRAMES, { recursive: true });
  }

  async take(stands_ms: number): Promise<void> {
    const number = String(this._taken++).padStart(3, '0');
    await this._page.screenshot({
      path: path.join(FRAMES, `${number}-${stands_ms}.png`)
    });
  }

  /** Take frames until something is seen, and show them twice as fast as it was. */
  async follow(seen: Locator, most = 60): Promise<void> {
    for (let taken = 0; taken < most && !(await seen.isVisible()); taken++) {
      await this.take(150);
      await this._page.waitForTimeout(200);
    }
    await expect(seen).toBeVisible({ timeout: 60_000 });
  }

  /** Move the pointer to something and press it. */
  async press(target: Locator): Promise<void> {
    const box = await target.boundingBox();
    if (box === null) {
      throw new Error('What is to be pressed is not there.');
    }
    const { mouse } = this._page;
    const to = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    for (const share of [0.4, 0.75, 1]) {
      await mouse.move(
        this._at.x + (to.x - this._at.x) * share,
        this._at.y + (to.y - this._at.y) * share
      );
      await this.take(share === 1 ? 900 : 80);
    }
    this._at = to;
    await target.click();
  }

  private _taken = 0;
  private _at = { x: 640, y: 520 };
}

/** A pointer that pictures show. */
async function showPointer(page: Page): Promise<void> {
  await page.evaluate(() => {
    const pointer = document.createElement('div');
    pointer.style.cssText =
      'position:fixed;z-index:100000;width:22px;height:22px;margin:-11px;border-radius:50%;' +
      'pointer-events:none;border:3px solid #e65100;background:#ff980055;left:-50px';
    document.body.append(pointer);
    document.addEventListener(
      'mousemove',
      event => {
        pointer.style.left = `${event.clientX}px`;
        pointer.style.top = `${event.clientY}px`;
      },
      true
    );
  });
}

test.use({ viewport: { width: 960, height: 640 } });

test.describe('The main story', () => {
  test.skip(!ARE_WANTED, 'an animated picture, made by `make images`');
  test.setTimeout(240_000);

  test('should be filmed from a real run', async ({ open, page }) => {
    const notebook = await open(DEMO, { name: 'demo.ipynb' });
    await notebook.execute('application:toggle-left-area');
    await notebook.run(at('device'));
    await notebook.run(at('data'));
    await notebook.run(at('model'));
    const train = notebook.cell(at('train'));
    const failed = notebook.cell(at('oom'));
    const failure = reportIn(failed);
    const show = (what: Locator, above = 40): Promise<void> =>
      what.evaluate((node, gap) => {
        node.scrollIntoView();
        node.closest('.jp-WindowedPanel-outer')?.scrollBy(0, -gap);
      }, above);

    const camera = new Camera(page);
    await notebook.select(at('train'));
    await show(train);
    await showPointer(page);
    await camera.take(1200);

    await notebook.start(at('train'));
    await camera.follow(train.getByText(/step 16: loss/));
    await notebook.waitUntilIdle();
    await camera.take(700);

    await notebook.select(at('oom'));
    await show(failed);
    await camera.take(1200);
    await notebook.start(at('oom'));
    await camera.follow(failed.getByText('OutOfMemoryError').first());
    await notebook.waitUntilIdle();
    await expect(failure).toBeVisible();
    // Not the whole traceback, which has paths of this machine.
    await show(failure, 90);
    await camera.take(3500);

    await camera.press(failure.getByRole('button', { name: 'Free now' }));
    await expect(failure.getByRole('heading').first()).toContainText('freed');
    await camera.take(2500);

    await camera.press(
      failure.getByRole('button', { name: /^Set batch_size = \d+ and re-run$/ })
    );
    await camera.follow(failed.getByText(/step 2: loss/));
    await notebook.waitUntilIdle();
    await expect(failure).toHaveCount(0);
    await show(failed);
    await camera.take(3500);
  });
});
