import { describeShortage } from '../memory/shortagewords';
import { queuedIn, startsWhen } from '../release/queue';
import { nameRunning } from '../release/words';
import type { GaugeModel } from './model';

/** Notice to read before pressing a button of the popup. */
export function noticeOf({ current, reading, trans }: GaugeModel): string {
  const state = current?.state;
  const running = state && 'device' in reading ? nameRunning(state, trans) : '';
  if (!state || !running) {
    return '';
  }
  if (queuedIn(state).length > 0) {
    return `${trans.__('Freeing is queued.')} ${startsWhen(state, trans)}`;
  }
  const starts = trans.__('%1 Freeing starts when it finishes.', running);
  return reading.kind === 'short'
    ? `${describeShortage(reading.shortage, reading.cell, trans)} ${starts}`
    : starts;
}
