import type { Reading } from '../memory/reading';
import { explainOthers } from '../memory/readingwords';
import { explainIdle } from '../text/names';
import { trans } from './translation';

/** Why there are no numbers; empty where there are. */
export function explain(reading: Reading): string {
  switch (reading.kind) {
    case 'idle': {
      const others = explainOthers(reading, trans);
      return `${explainIdle(reading.isLoaded, trans)} ${others}`.trim();
    }
    case 'none':
      return trans.__('This kernel sees no GPU.');
    case 'stopped':
      return reading.why.text;
    default:
      return '';
  }
}
