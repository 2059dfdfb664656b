import { element } from '../components/dom/element';
import type { Reading } from '../memory/reading';
import { textOf } from '../memory/readingwords';
import { formatFull } from '../memory/timelinewords';
import { formatBytes } from '../text/format';
import { deviceBar } from './device';
import { trans } from './translation';

/**
 * A gauge in one line: of several devices the fullest, as in a status bar.
 *
 * @param offers - the buttons at its end
 */
export function compactLine(
  reading: Reading,
  age: string,
  offers: readonly HTMLElement[]
): HTMLElement {
  const device = 'device' in reading ? reading.device : null;
  const headroom_bytes = device?.headroom_bytes ?? null;
  const headroom =
    headroom_bytes === null
      ? ''
      : trans.__('headroom %1', formatBytes(headroom_bytes));
  const word =
    reading.kind === 'filling'
      ? formatFull(reading.trend.full_in_s ?? 0, trans)
      : headroom;
  return element(
    'div',
    'jp-GpuHeadroomLive-line',
    element(
      'span',
      '',
      textOf(reading, trans, false) || trans.__('GPU memory')
    ),
    device && deviceBar(device),
    element('span', '', word),
    element('span', 'jp-GpuHeadroomLive-aside', age),
    ...offers
  );
}
