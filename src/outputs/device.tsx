import * as React from 'react';

import {
  DeviceNotes,
  DeviceNumbers,
  Headroom
} from '../components/devicenumbers';
import { Icon } from '../components/icon';
import type { Condition } from '../memory/level';
import type { IDevice } from '../protocol';
import { nameDevice } from '../text/names';
import { trans } from './translation';

/** Headline of a gauge, with text beside it. */
export function Head(
  props: React.PropsWithChildren<{ aside: React.ReactNode }>
): React.JSX.Element {
  return (
    <div className="jp-GpuHeadroomLive-head">
      <h3 className="jp-GpuHeadroomLive-headline">{props.children}</h3>
      <p className="jp-GpuHeadroomLive-aside">{props.aside}</p>
    </div>
  );
}

/** Name of the device, if any, and the age of the readings. */
export function asideOf(device: IDevice | null, age: string): string {
  return [device && nameDevice(device, trans), age].filter(Boolean).join(' · ');
}

/** A device with its numbers, and their age beside its name. */
export function Device(props: {
  device: IDevice;
  condition: Condition;
  age: string;
}): React.JSX.Element {
  const { device, condition, age } = props;
  const measured = { device, condition, trans };
  return (
    <>
      <Head
        aside={
          <>
            {device.simulated && <Icon name="flask" />}
            {asideOf(device, age)}
          </>
        }
      >
        <Headroom {...measured} />
      </Head>
      <DeviceNumbers {...measured} />
      <DeviceNotes device={device} trans={trans} />
    </>
  );
}
