import * as React from 'react';

import type { Reading } from '../memory/reading';
import { rankOf, textOf, wordOf } from '../memory/readingwords';
import type { IDevice } from '../protocol';
import type { ITranslate } from '../text/translate';
import { DeviceBar } from './bar';
import { Icon, type IconName } from './icon';
import { LEVEL_ICONS } from './levelicon';

interface IGaugeProps {
  reading: Reading;
  isCompact: boolean;
  /** Word after the bar; by default that of the reading. */
  word?: string;
  trans: ITranslate;
}

const STATE_ICONS: Partial<Record<Reading['kind'], IconName>> = {
  disconnected: 'struckPlug',
  problem: 'struckPlug',
  stopped: 'octagon',
  none: 'struckChip',
  off: 'chip',
  stale: 'clock',
  queued: 'clock',
  ...LEVEL_ICONS
};

/** Device of a reading, if any; that of an idle GPU is `gpu`. */
interface IOfDevice {
  device?: IDevice;
  gpu?: IDevice | null;
}

/** Icons of a reading, its state first; a simulated device has one in any state. */
function iconsOf(reading: Reading, isCompact: boolean): IconName[] {
  // A clock before the numbers is for their age; that of a wait is at its word.
  const isAtWord = reading.kind === 'queued' && !isCompact;
  const state = isAtWord ? undefined : STATE_ICONS[reading.kind];
  const { gpu, device = gpu } = reading as IOfDevice;
  const icons = [
    ...(state ? [state] : []),
    ...(device?.simulated ? ['flask' as const] : [])
  ];
  return icons.length === 0 && isCompact ? ['chip'] : icons;
}

/** Content of the gauge, the same in all places: icons, numbers, bar, word. */
export function Gauge(props: IGaugeProps): React.JSX.Element {
  const { reading, isCompact, trans } = props;
  const isQueued = reading.kind === 'queued';
  const word =
    props.word ?? (isQueued && isCompact ? '' : wordOf(reading, trans));
  const rank = isCompact ? '' : rankOf(reading, trans);
  return (
    <>
      {iconsOf(reading, isCompact).map(name => (
        <Icon key={name} name={name} />
      ))}
      <span className="jp-GpuHeadroom-text">
        {textOf(reading, trans, isCompact)}
      </span>
      {'device' in reading && (
        <DeviceBar
          device={reading.device}
          isStale={reading.kind === 'stale'}
          size={isCompact ? 'compact' : 'small'}
          trans={trans}
        />
      )}
      {word && (
        <span className={`jp-GpuHeadroom-word jp-mod-${reading.kind}`}>
          {isQueued && <Icon name="clock" />}
          {word}
        </span>
      )}
      {rank && <span className="jp-GpuHeadroom-rank">{`· ${rank}`}</span>}
    </>
  );
}
