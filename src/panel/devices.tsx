import * as React from 'react';

import { Bar } from '../components/bar';
import { SplitLine } from '../components/devicenumbers';
import { Icon } from '../components/icon';
import { LevelIcon } from '../components/levelicon';
import { pickNeighbour } from '../components/picking';
import { Sentence } from '../components/sentence';
import { levelIn } from '../memory/level';
import type { IDevice } from '../protocol';
import { formatBytes } from '../text/format';
import { words } from '../text/messages';
import { nameDevice, numberDevice } from '../text/names';
import type { IPanelProps } from './model';

/**
 * The GPUs of the kernel; where there are several, one is picked.
 */
export function Devices({ model }: IPanelProps): React.JSX.Element {
  const { devices, trans } = model;
  const isList = devices.length > 1;
  return (
    <div
      className="jp-GpuHeadroom-devices"
      role={isList ? 'listbox' : undefined}
      aria-label={isList ? trans.__('GPU shown below') : undefined}
      onKeyDown={pickNeighbour}
    >
      {devices.map(device => (
        <Device key={device.index} device={device} model={model} />
      ))}
    </div>
  );
}

interface IDeviceProps extends IPanelProps {
  readonly device: IDevice;
}

function Device({ device, model }: IDeviceProps): React.JSX.Element {
  const { devices, isStale, trans } = model;
  const isPicked = model.device === device;
  const option = {
    role: 'option',
    'aria-selected': isPicked,
    tabIndex: isPicked ? 0 : -1,
    onClick: () => {
      model.pick(device.index);
    }
  };
  return (
    <div
      className="jp-GpuHeadroom-panelDevice"
      {...(devices.length > 1 ? option : {})}
    >
      <p className="jp-GpuHeadroom-row">
        <span className="jp-GpuHeadroom-name" title={nameDevice(device, trans)}>
          {device.simulated && <Icon name="flask" />}
          <strong>{numberDevice(device, trans)}</strong>{' '}
          {!device.simulated && device.name}
        </span>
        <Headroom device={device} model={model} />
      </p>
      <Bar device={device} isStale={isStale} size="wide" trans={trans} />
      {!isStale && <SplitLine device={device} trans={trans} />}
      <Notes device={device} model={model} />
    </div>
  );
}

function Headroom({ device, model }: IDeviceProps): React.JSX.Element {
  const { current, isStale, trans } = model;
  const { headroom_bytes } = device;
  if (isStale || !current || headroom_bytes === null) {
    return <span>{trans.__('headroom not measured')}</span>;
  }
  return (
    <span className="jp-GpuHeadroom-panelHeadroom">
      <LevelIcon condition={levelIn(current.state, device)} />
      {trans.__('%1 headroom', formatBytes(headroom_bytes))}
    </span>
  );
}

/** What one should know to read the numbers of a device. */
function Notes({ device, model }: IDeviceProps): React.JSX.Element {
  const { trans } = model;
  const facts = [
    device.capacity_limited &&
      trans.__('The capacity is limited by a memory fraction.'),
    device.shared_with_host &&
      trans.__("The memory is shared with the host's programs.")
  ].filter(fact => fact !== false);
  return (
    <>
      {facts.map(fact => (
        <p key={fact} className="jp-GpuHeadroom-notice">
          {fact}
        </p>
      ))}
      {device.notes.map(note => (
        <p key={note.id} className="jp-GpuHeadroom-notice">
          <Sentence text={words(trans).sentence(note)} />
        </p>
      ))}
    </>
  );
}
