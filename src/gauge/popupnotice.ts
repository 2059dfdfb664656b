import { explain } from '../kernel/problem';
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
  return reading.kind === 'filling'
    ? trans.__('%1 Freeing starts when it finishes or is interrupted.', running)
    : trans.__('%1 Freeing starts when it finishes.', running);
}

function describeDialog({ trans }: GaugeModel, dialog: ReleaseDialog): string {
  const { session, step } = dialog;
  const { checklist, memory } = session;
  switch (step.kind) {
    case 'choosing': {
      const devices = memory.state.sample?.devices ?? [];
      const running = nameRunning(memory.state, trans);
      return [
        step.reason === null ? '' : explain(step.reason, trans),
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
