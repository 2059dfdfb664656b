import type { Page } from '@playwright/test';

/** Of DevTools' Profiler, what is read here. */
interface IProfile {
  nodes: { id: number; callFrame: { url: string }; children?: number[] }[];
  samples?: number[];
  timeDeltas?: number[];
}

const INTERVAL_US = 200;

/** Where a page has our scripts from. */
const OURS = '/extensions/gpu-headroom/';

/**
 * Milliseconds that a page spends in our functions and what these call, while
 * something is done in it. It may be less than one sample is long, and then is 0.
 */
export async function timeOfOurs(
  page: Page,
  act: () => Promise<void>
): Promise<number> {
  // galata's page only stands for the browser's own.
  const [own = page] = page.context().pages();
  const session = await page.context().newCDPSession(own);
  await session.send('Profiler.enable');
  await session.send('Profiler.setSamplingInterval', { interval: INTERVAL_US });
  await session.send('Profiler.start');
  await act();
  const { profile } = await session.send('Profiler.stop');
  await session.detach();
  return durationOfOurs(profile);
}

function durationOfOurs(profile: IProfile): number {
  const { nodes, samples = [], timeDeltas = [] } = profile;
  const byId = new Map(nodes.map(node => [node.id, node]));
  const ours = new Set<number>();
  const enter = (id: number, isOurs: boolean): void => {
    const node = byId.get(id);
    if (!node) {
      return;
    }
    const isOne = isOurs || node.callFrame.url.includes(OURS);
    if (isOne) {
      ours.add(id);
    }
    node.children?.forEach(child => {
      enter(child, isOne);
    });
  };
  const [root] = nodes;
  if (root) {
    enter(root.id, false);
  }
  const spent_us = samples.reduce(
    (total, id, index) =>
      ours.has(id) ? total + (timeDeltas[index] ?? 0) : total,
    0
  );
  return spent_us / 1000;
}
