import * as React from 'react';

import { Bar } from '../components/bar';
import { SplitLine } from '../components/devicenumbers';
import { Icon } from '../components/icon';
import { LevelIcon } from '../components/levelicon';
import { Sentence } from '../components/sentence';
import { nameDevice, numberDevice } from '../components/words';
import { formatBytes } from '../format';
import { levelIn } from '../kernel/level';
import { words } from '../messages';
import type { IDevice } from '../protocol';
import type { PanelModel } from './model';

/**
 * The GPUs of the kernel; where there are several, one is picked.
 */
export function Devices({ model }: { model: PanelModel }): React.JSX.Element {
  const { devices, trans } = model;
  const isList = devices.length > 1;
  return (
    <div
      className="jp-GpuHeadroom-devices"
      role={isList ? 'listbox' : undefined}
      aria-label={isList ? trans.__('GPU shown below') : undefined}
      onKeyDown={event => {
        onKey(event, model);
      }}
    >
      {devices.map(device => (
        <Device
          key={device.index}
          device={device}
          isList={isList}
          model={model}
        />
      ))}
    </div>
  );
}

interface IDeviceProps {
  device: IDevice;
  isList: boolean;
  model: PanelModel;
}

function Device({ device, isList, model }: IDeviceProps): React.JSX.Element {
  const { isStale, trans } = model;
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
    <div className="jp-GpuHeadroom-panelDevice" {...(isList ? option : {})}>
      <p className="jp-GpuHeadroom-row">
        <span className="jp-GpuHeadroom-name" title={nameDevice(device, trans)}>
          {device.simulated && <Icon name="flask" />}
          <strong>{numberDevice(device, trans)}</strong>{' '}
          {!device.simulated && device.name}
        </span>
        <Headroom device={device} isStale={isStale} model={model} />
      </p>
      <Bar device={device} isStale={isStale} size="wide" trans={trans} />
      {!isStale && <SplitLine device={device} trans={trans} />}
      <Notes device={device} model={model} />
    </div>
  );
}

function Headroom(props: {
  device: IDevice;
  isStale: boolean;
  model: PanelModel;
}): React.JSX.Element {
  const { device, isStale, model } = props;
  const { current, trans } = model;
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
function Notes(props: {
  device: IDevice;
  model: PanelModel;
}): React.JSX.Element {
  const { device, model } = props;
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

/** The arrow keys pick the neighbour, which then has the focus. */
function onKey(event: React.KeyboardEvent, model: PanelModel): void {
  const steps: Record<string, number> = { ArrowUp: -1, ArrowDown: 1 };
  const step = steps[event.key];
  const { device, devices } = model;
  if (step === undefined || !device || devices.length < 2) {
    return;
  }
  event.preventDefault();
  const neighbour = devices[devices.indexOf(device) + step];
  const option = event.currentTarget.children[devices.indexOf(device) + step];
  if (neighbour && option instanceof HTMLElement) {
    model.pick(neighbour.index);
    option.focus();
  }
}
