import { writeFileSync } from 'node:fs';

import { expect, test } from './application';
import { notebookOf, SIMULATE } from './cells';
import { bytesOf, gauge, popup } from './surfaces';

const COUNT = 40;

/** Makes tensors at moments that no clock of ours knows, while it computes. */
const ALLOCATE = `import json, random, time
import torch


def compute(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


compute(2)
held, made = [], []
for _ in range(${COUNT}):
    held.append(torch.empty(2**27, dtype=torch.uint8, device="cuda"))
    made.append((torch.cuda.memory_allocated(), 1000 * time.time()))
    compute(random.uniform(0.2, 0.4))
held.clear()`;

/** More than what rounding hides, less than one tensor. */
const ROUNDING = 0.06 * 2 ** 30;

test('allocation → pixel', async ({ open, page }) => {
  const notebook = await open(
    notebookOf([SIMULATE.replace('4 GiB', '16 GiB'), ALLOCATE])
  );
  await notebook.run(0);
  await expect(gauge(page)).toBeVisible();
  await gauge(page).click();
  await expect(popup(page)).toBeVisible();
  const drawn = await popup(page).evaluateHandle(node => {
    const seen: [string, number][] = [];
    const look = (): void => {
      const text = /In use by tensors([\d.]+ [GMK]iB)/.exec(
        node.textContent ?? ''
      );
      const last = seen[seen.length - 1];
      if (text?.[1] && last?.[0] !== text[1]) {
        seen.push([text[1], Date.now()]);
      }
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    return seen;
  });
  await notebook.run(1);
  const made = await notebook.value<[number, number][]>('made');
  const seen = await drawn.jsonValue();
  const latencies = made.flatMap(([bytes, at]) => {
    const found = seen.find(
      ([text, time]) => time >= at && bytesOf(text) >= bytes - ROUNDING
    );
    return found ? [found[1] - at] : [];
  });
  expect(latencies.length).toBeGreaterThan(COUNT / 2);
  writeFileSync(
    process.env.GPU_HEADROOM_LATENCIES ?? '/dev/stdout',
    JSON.stringify(latencies)
  );
});
