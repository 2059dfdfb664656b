import * as React from 'react';

import { Buttons, type IButtonProps } from '../components/button';
import { Gauge } from '../components/gauge';
import type { Reading } from '../memory/reading';
import { formatBytes } from '../text/format';
import { trans } from './translation';

/** A gauge in one line: the fullest of several devices, as in a status bar. */
export function CompactLine(props: {
  reading: Reading;
  /** Text on workers; `null`: none. */
  workers: string | null;
  age: string;
  offers: readonly IButtonProps[];
}): React.JSX.Element {
  const { reading, workers, age, offers } = props;
  const headroom_bytes =
    'device' in reading ? reading.device.headroom_bytes : null;
  // There is room for it besides any other text.
  const word =
    headroom_bytes === null || reading.kind === 'filling'
      ? undefined
      : trans.__('headroom %1', formatBytes(headroom_bytes));
  return (
    <div className="jp-GpuHeadroomLive-line">
      {reading.kind === 'hidden' ? (
        trans.__('GPU memory')
      ) : (
        <Gauge reading={reading} isCompact={false} word={word} trans={trans} />
      )}
      {workers && <span>{`· ${workers}`}</span>}
      <span className="jp-GpuHeadroomLive-aside">{age}</span>
      <Buttons buttons={offers} />
    </div>
  );
}
