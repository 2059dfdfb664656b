import { writeFileSync } from 'node:fs';

import { expect, type Locator } from '@playwright/test';

import { bytesOf } from './surfaces';

const COUNT = 40;

/** More than what rounding hides, less than one tensor. */
const ROUNDING = 0.06 * 2 ** 30;

/** When a page has shown a size: the size as text, and the moment in milliseconds. */
type Shown = [string, number];

/**
 * Makes tensors at moments that no clock of ours knows, while it computes; `made` has
 * the bytes in use and the moment of each.
 *
 * @param pause_s - between two of them, at least and at most
 */
export function allocate(pause_s: readonly [number, number]): string {
  return `import random, time
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
    compute(random.uniform(${pause_s.join(', ')}))
held.clear()`;
}

/** Watch a size, the first group of a pattern, in what an element shows. */
export async function watchSize(
  element: Locator,
  pattern: RegExp
): Promise<() => Promise<Shown[]>> {
  const shown = await element.evaluateHandle((node, source) => {
    const seen: Shown[] = [];
    const look = (): void => {
      const [, text] = new RegExp(source).exec(node.textContent ?? '') ?? [];
      if (text && seen[seen.length - 1]?.[0] !== text) {
        seen.push([text, Date.now()]);
      }
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    return seen;
  }, pattern.source);
  return () => shown.jsonValue();
}

/** Milliseconds from each allocation to the first size shown that has it. */
export function latencies(
  made: readonly (readonly [number, number])[],
  shown: readonly Shown[]
): number[] {
  const found = made.flatMap(([bytes, at]) => {
    const first = shown.find(
      ([text, time]) => time >= at && bytesOf(text) >= bytes - ROUNDING
    );
    return first ? [first[1] - at] : [];
  });
  expect(found.length).toBeGreaterThan(COUNT / 2);
  return found;
}

/** Tell whoever measures. */
export function report(result: unknown): void {
  writeFileSync(
    process.env.GPU_HEADROOM_LATENCIES ?? '/dev/stdout',
    JSON.stringify(result)
  );
}
