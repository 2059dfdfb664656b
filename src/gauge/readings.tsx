import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { ChartTitle } from '../components/chart';
import {
  DeviceNotes,
  DeviceNumbers,
  DeviceTitle,
  Headroom
} from '../components/devicenumbers';
import { WorkersPart } from '../components/workerspart';
import { Plot, useTimeline } from '../lab/plot';
import type { Condition } from '../memory/level';
import type { Reading } from '../memory/reading';
import { rankOf } from '../memory/readingwords';
import type { IMemoryState } from '../memory/state';
import { nameSpan } from '../memory/timelinewords';
import type { IDevice } from '../protocol';

/** Width of the chart: that of the popup without its margins. */
const WIDTH_PX = 334;
const HEIGHT_PX = 104;

interface IReadingsProps {
  reading: Extract<Reading, { device: IDevice }>;
  state: IMemoryState;
  trans: TranslationBundle;
}

/** The numbers of the GPU that the gauge shows. */
export function Numbers(props: IReadingsProps): React.JSX.Element {
  const { reading, state, trans } = props;
  const { device } = reading;
  const measured = { device, condition: conditionOf(reading), trans };
  return (
    <>
      <DeviceTitle
        device={device}
        rank={rankOf(reading, trans)}
        trans={trans}
      />
      <h2 className="jp-GpuHeadroom-headline">
        <Headroom {...measured} />
      </h2>
      <DeviceNumbers
        {...measured}
        part={<WorkersPart {...{ device, state, trans }} />}
      />
      <DeviceNotes device={device} trans={trans} />
    </>
  );
}

/**
 * Condition of the numbers, regardless of a waiting release; `null` while they are
 * stale.
 */
function conditionOf({ kind }: IReadingsProps['reading']): Condition | null {
  if (kind === 'stale') {
    return null;
  }
  return kind === 'queued' ? 'ok' : kind;
}

/** The session on that GPU. */
export function History(props: IReadingsProps): React.JSX.Element | null {
  const { reading, state, trans } = props;
  const timeline = useTimeline(state, reading.device);
  const id = React.useId();
  return (
    timeline && (
      <>
        <ChartTitle
          title={nameSpan(true, trans)}
          timeline={timeline}
          trans={trans}
        />
        <Plot
          timeline={timeline}
          id={id}
          width={WIDTH_PX}
          height={HEIGHT_PX}
          trans={trans}
        />
      </>
    )
  );
}
