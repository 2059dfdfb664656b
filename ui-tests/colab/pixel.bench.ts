import { allocate, latencies, report, watchSize } from '../tests/latency';
import { expect, SHOW, START, test } from './colab';

const RESTARTS = 3;

test('allocation → pixel, and restart → pixel, in an output', async ({
  open
}) => {
  test.setTimeout(300000);
  const notebook = await open();
  const start = START.replace('4 GiB', '16 GiB');
  await notebook.run(start);
  const gauge = await notebook.run(SHOW);
  await gauge.look();
  await expect(gauge.live).toBeVisible();
  const shown = await watchSize(
    gauge.output,
    /In use by tensors ?([\d.]+ [GMK]iB)/
  );
  // Told four times a second, so further apart than in a status bar.
  await notebook.run(allocate([0.8, 1.6]));
  const made = (await notebook.value('made')) as [number, number][];
  const pixels = latencies(made, await shown());

  const restarts: number[] = [];
  for (let times = 0; times < RESTARTS; times++) {
    const before = Date.now();
    await notebook.restart();
    await expect(gauge.output).toContainText('The kernel was restarted', {
      timeout: 60000
    });
    restarts.push(Date.now() - before);
    await notebook.run(start);
    await gauge.button('Try again').click();
    await expect(gauge.output).not.toContainText('The kernel was restarted');
  }
  report({ pixels, restarts });
});
