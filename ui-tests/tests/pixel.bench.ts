import { expect, test } from './application';
import { notebookOf, SIMULATE } from './cells';
import { allocate, latencies, report, watchSize } from './latency';
import { gauge, popup } from './surfaces';

test('allocation → pixel', async ({ open, page }) => {
  const notebook = await open(
    notebookOf([SIMULATE.replace('4 GiB', '16 GiB'), allocate([0.2, 0.4])])
  );
  await notebook.run(0);
  await expect(gauge(page)).toBeVisible();
  await gauge(page).click();
  await expect(popup(page)).toBeVisible();
  const shown = await watchSize(
    popup(page),
    /In use by tensors([\d.]+ [GMK]iB)/
  );
  await notebook.run(1);
  const made = await notebook.value<[number, number][]>('made');
  report(latencies(made, await shown()));
});
