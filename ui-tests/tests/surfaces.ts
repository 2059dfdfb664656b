import type { Locator, Page } from '@playwright/test';

/** The gauge, in the status bar or in Notebook 7's toolbar. */
export function gauge(page: Page): Locator {
  return page.locator('[role=button][aria-haspopup=dialog]', {
    has: page.locator('.jp-GpuHeadroom-text')
  });
}

/** The popup of the gauge. */
export function popup(page: Page): Locator {
  return page.getByRole('dialog', { name: 'GPU memory' });
}

/** Open the panel with what can be freed. */
export async function openList(page: Page): Promise<Locator> {
  await gauge(page).click();
  await popup(page).getByRole('button', { name: 'Free memory…' }).click();
  return page.locator('#gpu-headroom-panel');
}

/** A row of a checklist. */
export function item(place: Locator, title: string | RegExp): Locator {
  return place.locator('.jp-GpuHeadroom-item', { hasText: title });
}

/** Our notification: JupyterLab may have one of its own beside it. */
export function toast(
  page: Page,
  hasText: string | RegExp = /Free|Queued|Nothing|Canceled|Stopping/
): Locator {
  return page.locator('.Toastify__toast', { hasText });
}

/** The out-of-memory report in a cell, a view or a page. */
export function reportIn(place: Locator | Page): Locator {
  return place.locator('section[aria-labelledby^=gpu-headroom-report]');
}

/** "1.5 GiB" as bytes, to within the rounding of the last digit shown. */
export function bytesOf(text: string): number {
  const found = /([\d.]+)\s*(GiB|MiB|KiB)/.exec(text);
  if (!found?.[1] || !found[2]) {
    throw new Error(`No size in "${text}".`);
  }
  const units: Record<string, number> = {
    KiB: 2 ** 10,
    MiB: 2 ** 20,
    GiB: 2 ** 30
  };
  return Number(found[1]) * (units[found[2]] ?? NaN);
}

/** Bytes as the product shows them: "1.5 GiB", below a tenth of one "95 MiB". */
export function sizeOf(bytes: number): string {
  return bytes < 0.1 * 2 ** 30
    ? `${Math.round(bytes / 2 ** 20)} MiB`
    : `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
