import type { Page } from '@playwright/test';

/** Milliseconds of the tasks that kept the page from drawing; the browser tells those over 50. */
export async function longTasks(
  page: Page,
  during_ms: number
): Promise<number[]> {
  return page.evaluate(async wait_ms => {
    const seen: number[] = [];
    const observer = new PerformanceObserver(list => {
      seen.push(...list.getEntries().map(({ duration }) => duration));
    });
    observer.observe({ type: 'longtask' });
    await new Promise(resolve => setTimeout(resolve, wait_ms));
    observer.disconnect();
    return seen;
  }, during_ms);
}
