import type { Locator, Page } from '@playwright/test';

import { expect, test } from './application';
import { faultsOf } from './axe';
import { MODEL, notebookOf, SIMULATE, TRAIN } from './cells';
import type { Notebook } from './notebook';
import { reportIn, gauge, openList, popup } from './surfaces';

const REPORT = 'section[aria-labelledby^=gpu-headroom-report]';
const POPUP = '.jp-GpuHeadroom-popup';
const PANEL = '#gpu-headroom-panel';
const BADGE = '.jp-GpuHeadroom-badgeRow:not(.lm-mod-hidden)';

/** A laptop's window at 200 %. */
const HALVED = { width: 683, height: 384 };

type Open = (content: ReturnType<typeof notebookOf>) => Promise<Notebook>;

/** A report with all that it offers and every fold open, and the badges of its notebook. */
async function openReport(open: Open): Promise<Notebook> {
  const notebook = await open(notebookOf([SIMULATE, MODEL, TRAIN]));
  await notebook.runUpTo(2);
  const report = reportIn(notebook.cell(2));
  await expect(report).toContainText('What you can do');
  await expect(report.getByRole('button').first()).toBeVisible();
  for (const fold of await report.locator('summary').all()) {
    await fold.click();
  }
  return notebook;
}

/** The panel, with all that is known of one holder. */
async function openPanel(page: Page, notebook: Notebook): Promise<Locator> {
  await notebook.execute('gpu-headroom:show-panel');
  const panel = page.locator(PANEL);
  await panel.getByRole('row', { name: /^model/ }).click();
  await expect(panel.getByText('What refers to it?')).toBeVisible();
  return panel;
}

/** What in a surface is cut off, or reaches out of it or of the window. */
function cutIn(page: Page, surface: string): Promise<string[]> {
  return page
    .locator(surface)
    .last()
    .evaluate(root => {
      const edge = root.getBoundingClientRect();
      const right = Math.min(edge.right, document.documentElement.clientWidth);
      // What scrolls by itself shows all; of a name with an ellipsis less is meant.
      const mayBeCut = (element: Element): boolean =>
        element.closest(
          '.jp-GpuHeadroom-spoken, .jp-GpuHeadroom-cut, .jp-GpuHeadroom-segment, .jp-GpuHeadroomReport-diffRows, .jp-GpuHeadroomReport-code, svg'
        ) !== null ||
        [element, element.parentElement ?? element].some(
          each => getComputedStyle(each).textOverflow === 'ellipsis'
        ) ||
        // Hidden from the eye: a shorter text stands for it.
        getComputedStyle(element).clipPath === 'inset(50%)';
      return [root, ...root.querySelectorAll<HTMLElement>('*')]
        .filter(element => {
          const box = element.getBoundingClientRect();
          const isCut =
            element.scrollWidth > element.clientWidth + 1 &&
            getComputedStyle(element).display !== 'inline';
          const isOut = box.left < edge.left - 1 || box.right > right + 1;
          return box.width > 0 && !mayBeCut(element) && (isCut || isOut);
        })
        .map(element => `${element.classList.value}: ${element.textContent}`);
    });
}

/** Once the application has made its layout anew, which takes its time after a change. */
async function nothingIsCut(
  page: Page,
  surface: string,
  when: string
): Promise<void> {
  await expect
    .configure({ soft: true })
    .poll(() => cutIn(page, surface), { message: when })
    .toEqual([]);
}

test.describe('Every surface', () => {
  test('should have nothing that axe-core finds wrong', async ({
    open,
    page
  }) => {
    test.slow();
    const notebook = await openReport(open);
    // What is scrolled out of sight is not looked at.
    await page.setViewportSize({ width: 1366, height: 3000 });
    expect.soft(await faultsOf(page, REPORT)).toEqual([]);
    expect.soft(await faultsOf(page, BADGE)).toEqual([]);
    expect.soft(await faultsOf(page, '.jp-GpuHeadroom-gauge')).toEqual([]);

    await gauge(page).click();
    await expect(popup(page)).toContainText('Headroom');
    expect.soft(await faultsOf(page, '[role=dialog]')).toEqual([]);
    await page.keyboard.press('Escape');
    const list = await openList(page);
    await expect(list.getByRole('checkbox').first()).toBeVisible();

    await openPanel(page, notebook);
    expect.soft(await faultsOf(page, PANEL)).toEqual([]);
  });

  test('should be whole at 200 %, read from the left or from the right', async ({
    open,
    page
  }) => {
    test.slow();
    const notebook = await openReport(open);
    for (const direction of ['ltr', 'rtl']) {
      await page.evaluate(dir => {
        document.documentElement.dir = dir;
      }, direction);
      await page.setViewportSize(HALVED);
      await nothingIsCut(page, REPORT, direction);
      await nothingIsCut(page, BADGE, direction);
      await gauge(page).click();
      await expect(popup(page)).toContainText('Headroom');
      await expect
        .poll(async () => (await popup(page).boundingBox())?.y)
        .toBeGreaterThanOrEqual(0);
      await nothingIsCut(page, POPUP, direction);
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width: 1366, height: 768 });
    }
    await openPanel(page, notebook);
    for (const direction of ['rtl', 'ltr']) {
      await page.evaluate(dir => {
        document.documentElement.dir = dir;
      }, direction);
      await nothingIsCut(page, PANEL, direction);
    }
  });

  test('should keep time from left to right, and numbers beside their units', async ({
    open,
    page
  }) => {
    const notebook = await openReport(open);
    await page.evaluate(() => {
      document.documentElement.dir = 'rtl';
    });
    await openPanel(page, notebook);
    const isForward = await page
      .locator(`${PANEL} .jp-GpuHeadroom-plot text`)
      .evaluateAll(texts => {
        const places = texts.map(text => text.getBoundingClientRect());
        const [start] = places.slice(1);
        const end = places[places.length - 1];
        return start !== undefined && end !== undefined && start.x < end.x;
      });
    expect(isForward).toBe(true);
    // Where the letters of "GiB" are, and where the digits before them.
    const apart = await page
      .locator(`${PANEL} .jp-mod-size`)
      .evaluateAll(sizes =>
        sizes.filter(size => {
          const texts = document.createTreeWalker(size, NodeFilter.SHOW_TEXT);
          const text = texts.nextNode();
          const space = text?.textContent?.indexOf(' ') ?? -1;
          if (!text || space < 0) {
            return false;
          }
          const placeOf = (letter: number): number => {
            const range = document.createRange();
            range.setStart(text, letter);
            range.setEnd(text, letter + 1);
            return range.getBoundingClientRect().x;
          };
          return placeOf(0) > placeOf(space + 1);
        })
      );
    expect(apart).toEqual([]);
  });

  test('should be reached by Tab, with the focus in sight, and left by Escape', async ({
    open,
    page
  }) => {
    const notebook = await openReport(open);
    await gauge(page).focus();
    await page.keyboard.press('Enter');
    await expect(popup(page)).toContainText('Headroom');
    const stops = popup(page).locator('button, select, [tabindex="0"]');
    await stops.first().focus();
    for (let at = 0; at < (await stops.count()); at++) {
      await expect(stops.nth(at)).toBeFocused();
      await expect(stops.nth(at)).not.toHaveCSS('outline-style', 'none');
      await page.keyboard.press('Tab');
    }
    await expect(stops.first()).toBeFocused();
    await page.keyboard.press('Shift+Tab');
    await expect(stops.last()).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(popup(page)).toBeHidden();
    await expect(gauge(page)).toBeFocused();

    await notebook.execute('gpu-headroom:show-panel');
    for (const place of [page.locator(PANEL), page.locator(REPORT)]) {
      const button = place.getByRole('button').first();
      await button.focus();
      await page.keyboard.press('Tab');
      const next = place.locator(':focus-visible');
      await expect(next).toHaveCount(1);
      await expect(next).not.toHaveCSS('outline-style', 'none');
      await page.keyboard.press('Shift+Tab');
      await expect(button).toBeFocused();
    }
  });

  test('should stand still where a person wants less motion', async ({
    open,
    page
  }) => {
    const notebook = await openReport(open);
    await openPanel(page, notebook);
    const moving = (): Promise<number> =>
      page
        .locator(`:is(${REPORT}, ${PANEL}, .jp-GpuHeadroom-gauge) *`)
        .evaluateAll(
          all =>
            all.filter(element =>
              ['', '::before', '::after'].some(part => {
                const style = getComputedStyle(element, part);
                return (
                  style.transitionDuration !== '0s' ||
                  style.animationName !== 'none'
                );
              })
            ).length
        );
    expect(await moving()).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await expect.poll(moving).toBe(0);
  });

  test('should keep its bars where colours are forced', async ({
    open,
    page
  }) => {
    const notebook = await openReport(open);
    await openPanel(page, notebook);
    await page.emulateMedia({ forcedColors: 'active' });
    const segments = page.locator(
      `:is(${REPORT}, ${PANEL}, .jp-GpuHeadroom-gauge) .jp-GpuHeadroom-segment`
    );
    expect(await segments.count()).toBeGreaterThan(4);
    const lost = await segments.evaluateAll(
      all =>
        all.filter(segment => {
          const own = getComputedStyle(segment);
          const bar = segment.parentElement ?? segment;
          return (
            own.backgroundImage === 'none' &&
            own.backgroundColor === getComputedStyle(bar).backgroundColor
          );
        }).length
    );
    expect(lost).toBe(0);
    const areas = page.locator(`${PANEL} .jp-GpuHeadroom-plot .jp-mod-tensors`);
    const paper = await page
      .locator(PANEL)
      .evaluate(panel => getComputedStyle(panel).backgroundColor);
    await expect(areas.first()).not.toHaveCSS('fill', paper);
  });
});
