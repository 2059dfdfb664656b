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
import type { IMemoryState } from '../memory/state';
import { nameSpan } from '../memory/timelinewords';
import type { IDevice } from '../protocol';
import { DeviceTable } from './devicetable';

/** Of the chart: the width of the popup without its margins. */
const WIDTH_PX = 334;
const HEIGHT_PX = 104;

interface IReadingsProps {
  reading: Extract<Reading, { device: IDevice }>;
  state: IMemoryState;
  /** The index of the GPU that was picked; `null`: the one of the gauge. */
  picked: number | null;
  onPick: (index: number) => void;
  trans: TranslationBundle;
}

/** The GPU that the popup is about. */
function shownOf({ reading, state, picked }: IReadingsProps): IDevice {
  const devices = state.sample?.devices ?? [];
  return devices.find(({ index }) => index === picked) ?? reading.device;
}

/**
 * The numbers of one GPU, or of all where there are several.
 */
export function Numbers(props: IReadingsProps): React.JSX.Element {
  const { reading, state, onPick, trans } = props;
  const device = shownOf(props);
  const devices = state.sample?.devices ?? [];
  const isStale = reading.kind === 'stale';
  const measured = { device, condition: conditionOf(reading), trans };
  return devices.length > 1 ? (
    <DeviceTable
      state={state}
      devices={devices}
      picked={device.index}
      isStale={isStale}
      onPick={onPick}
      trans={trans}
    />
  ) : (
    <>
      <DeviceTitle device={device} trans={trans} />
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

/** What the numbers are like, whatever waits; `null` while they are old. */
function conditionOf({ kind }: IReadingsProps['reading']): Condition | null {
  if (kind === 'stale') {
    return null;
  }
  return kind === 'queued' ? 'ok' : kind;
}

/**
 * The session as a GPU has seen it.
 */
export function History(props: IReadingsProps): React.JSX.Element {
  const { reading, state, trans } = props;
  const device = shownOf(props);
  const timeline = useTimeline(state, device);
  const id = React.useId();
  const isOne = reading.count < 2;
  const span = nameSpan(true, trans);
  return (
    <>
      {timeline && (
        <>
          <ChartTitle
            title={isOne ? span : `${trans.__('GPU %1', device.index)} ${span}`}
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
      )}
      {!isOne && <DeviceNotes device={device} trans={trans} />}
    </>
  );
}
