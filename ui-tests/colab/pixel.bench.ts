import { writeFileSync } from 'node:fs';

import { bytesOf } from '../tests/surfaces';
import { expect, SHOW, START, test } from './colab';

const COUNT = 40;
const RESTARTS = 3;

/** Makes tensors at moments that no clock of ours knows, while it computes. */
const ALLOCATE = `import random, time


def compute(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


compute(3)
held, made = [], []
for _ in range(${COUNT}):
    held.append(torch.empty(2**27, dtype=torch.uint8, device="cuda"))
    made.append((torch.cuda.memory_allocated(), 1000 * time.time()))
    compute(random.uniform(0.8, 1.6))
held.clear()`;

/** More than what rounding hides, less than one tensor. */
const ROUNDING = 0.06 * 2 ** 30;

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
  const drawn = await gauge.output.evaluateHandle(node => {
    const seen: [string, number][] = [];
    const look = (): void => {
      const text = /in use ?([\d.]+ [GMK]iB)/.exec(node.textContent ?? '');
      const last = seen[seen.length - 1];
      if (text?.[1] && last?.[0] !== text[1]) {
        seen.push([text[1], Date.now()]);
      }
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    return seen;
  });
  await notebook.run(ALLOCATE);
  const made = (await notebook.value('made')) as [number, number][];
  const seen = await drawn.jsonValue();
  const pixels = made.flatMap(([bytes, at]) => {
    const found = seen.find(
      ([text, time]) => time >= at && bytesOf(text) >= bytes - ROUNDING
    );
    return found ? [found[1] - at] : [];
  });
  expect(pixels.length).toBeGreaterThan(COUNT / 2);

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
  writeFileSync(
    process.env.GPU_HEADROOM_LATENCIES ?? '/dev/stdout',
    JSON.stringify({ pixels, restarts })
  );
});
