import { nullTranslator } from '@jupyterlab/translation';

import { howMany, Maker } from '../../__tests__/fuzz/maker';
import { statesOf } from '../../__tests__/fuzz/states';
import { type Shown, unreadable } from '../../__tests__/fuzz/views';
import { shortageOf } from '../../memory/shortage';
import type { IMemoryState } from '../../memory/state';
import { readBadge } from '../badge';
import * as badgeWords from '../badgewords';
import { LiveRun } from '../liverun';
import { byCell } from '../runs';

const trans = nullTranslator.load('gpu-headroom');

function badgesOf(state: IMemoryState): Shown[] {
  const live = new LiveRun();
  if (state.cell) {
    live.follow(state.cell, null);
  }
  live.observe(state.sample);
  return [...byCell(state.runs)].flatMap(([cellId, runs]) => {
    const badge = readBadge(runs, live.memory(cellId ?? ''));
    const shortage = shortageOf(runs, state.sample);
    const text = badge && badgeWords.textOf(badge, state.lastOom, trans);
    return [
      text?.strong ?? null,
      text?.rest ?? null,
      shortage && badgeWords.warnOf(shortage, trans),
      ...(badge ? badgeWords.rowsOf(badge, trans).flat() : [])
    ];
  });
}

describe('badges', () => {
  it('should be readable after any message', () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    const problems: unknown[] = [];
    let shown = 0;
    for (const { state } of statesOf(new Maker(), howMany(2000))) {
      const badges = badgesOf(state);
      shown += badges.length;
      problems.push(...unreadable(badges));
    }
    expect([...new Set(problems)]).toEqual([]);
    expect(shown).toBeGreaterThan(0);
    warn.mockRestore();
  });
});
