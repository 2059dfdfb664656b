import { explain } from '../kernel/problem';
import { describeShortage } from '../memory/shortagewords';
import type { ReleaseDialog } from '../release/dialog';
import { queuedIn, startsWhen } from '../release/queue';
import { explainOutlook, nameRunning } from '../release/words';
import type { GaugeModel } from './model';

/**
 * What a person should know before pressing a button of the popup.
 */
export function noticeOf(
  model: GaugeModel,
  dialog: ReleaseDialog | null
): string {
  const { current, reading, trans } = model;
  const state = current?.state;
  if (!state) {
    return '';
  }
  const isMeasured = 'device' in reading;
  if (dialog && dialog.step.kind !== 'closed' && isMeasured) {
    return describeDialog(model, dialog);
  }
  const running = isMeasured ? nameRunning(state, trans) : '';
  if (running && queuedIn(state).length > 0) {
    return `${trans.__('Freeing is queued.')} ${startsWhen(state, trans)}`;
  }
  if (!running) {
    return '';
  }
  const isUrgent = reading.kind === 'filling' || reading.kind === 'short';
  const starts = isUrgent
    ? trans.__('%1 Freeing starts when it finishes or is interrupted.', running)
    : trans.__('%1 Freeing starts when it finishes.', running);
  return reading.kind === 'short'
    ? `${describeShortage(reading.shortage, reading.cell, trans)} ${starts}`
    : starts;
}

function describeDialog({ trans }: GaugeModel, dialog: ReleaseDialog): string {
  const { session, step } = dialog;
  const { checklist, memory } = session;
  switch (step.kind) {
    case 'begun':
    case 'choosing': {
      const devices = memory.state.sample?.devices ?? [];
      const running = nameRunning(memory.state, trans);
      return [
        step.kind === 'choosing' && step.reason !== null
          ? explain(step.reason, trans)
          : '',
        checklist.items && explainOutlook(checklist.gain, devices, trans),
        running && checklist.items && startsWhen(memory.state, trans)
      ]
        .filter(Boolean)
        .join(' ');
    }
    case 'waiting':
      return startsWhen(memory.state, trans);
    default:
      return '';
  }
}
