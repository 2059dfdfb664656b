import * as React from 'react';

import { DeviceBar } from '../components/bar';
import { Cut } from '../components/cut';
import { DeviceNotes, DeviceNumbers } from '../components/devicenumbers';
import { Hint } from '../components/hint';
import { Icon } from '../components/icon';
import { LevelIcon } from '../components/levelicon';
import { WorkersPart } from '../components/workerspart';
import { Adapting } from '../lab/adapting';
import { onTreeKey } from '../lab/treegrid';
import { levelIn } from '../memory/level';
import type { IDevice } from '../protocol';
import { formatBytes, formatPair, formatPrompt } from '../text/format';
import { nameSize, numberDevice } from '../text/names';
import type { IPanelProps } from './model';

/**
 * The GPUs of the kernel, one expandable line each. Of several, the focused or clicked
 * one is selected.
 */
export function Devices({ model }: IPanelProps): React.JSX.Element {
  const { devices, trans } = model;
  const [opened, setOpened] = React.useState<readonly string[]>([]);
  const toggle = (id: string, isOpen: boolean): void => {
    const otherNames = opened.filter(name => name !== id);
    setOpened(isOpen ? [...otherNames, id] : otherNames);
  };
  return (
    <div
      className="jp-GpuHeadroom-devices"
      role="treegrid"
      aria-label={
        devices.length > 1 ? trans.__('GPU shown below') : trans.__('Devices')
      }
      onKeyDown={event => {
        onTreeKey(event, toggle);
      }}
    >
      {devices.map(device => (
        <Device
          key={device.index}
          device={device}
          isOpen={opened.includes(String(device.index))}
          model={model}
          toggle={toggle}
        />
      ))}
    </div>
  );
}

interface IDeviceProps extends IPanelProps {
  readonly device: IDevice;
}

interface ILineProps extends IDeviceProps {
  readonly isOpen: boolean;
  readonly toggle: (id: string, isOpen: boolean) => void;
}

function Device(props: ILineProps): React.JSX.Element {
  const { device, isOpen, model, toggle } = props;
  const { devices, isStale, trans } = model;
  const { capacity_bytes, index, simulated, used_bytes } = device;
  const isPicked = model.device === device;
  const isOne = devices.length < 2;
  const pick = (): void => {
    if (!isPicked) {
      model.pick(index);
    }
  };
  const flip = (): void => {
    toggle(String(index), !isOpen);
  };
  const hasNotes = device.notes.length > 0 || device.shared_with_host;
  return (
    <>
      <div
        className="jp-GpuHeadroom-panelDevice"
        role="row"
        aria-level={1}
        aria-expanded={isOpen}
        aria-selected={isOne ? undefined : isPicked}
        data-id={index}
        tabIndex={isPicked ? 0 : -1}
        onFocus={pick}
        onClick={isOne ? flip : pick}
      >
        <span className="jp-mod-name" role="gridcell">
          <span
            className="jp-GpuHeadroom-collapser"
            aria-hidden="true"
            onClick={event => {
              event.stopPropagation();
              flip();
            }}
          />
          {simulated && <Icon name="flask" />}
          <strong>
            {simulated ? (
              <Adapting
                long={numberDevice(device, trans)}
                short={numberDevice({ index, simulated: false }, trans)}
              />
            ) : (
              numberDevice(device, trans)
            )}
          </strong>{' '}
          {hasNotes && <Icon name="info" />}
          {!simulated && device.name && (
            <span className="jp-mod-model">
              <Cut name={device.name} />
            </span>
          )}
        </span>
        <span role="gridcell">
          <DeviceBar
            device={device}
            isStale={isStale}
            size="small"
            trans={trans}
          />
        </span>
        <span className="jp-mod-used" role="gridcell">
          {!isStale &&
            used_bytes !== null &&
            capacity_bytes !== null &&
            formatPair(used_bytes, capacity_bytes)}
        </span>
        <Headroom device={device} model={model} />
      </div>
      {isOpen && <Detail {...props} />}
    </>
  );
}

function Headroom({ device, model }: IDeviceProps): React.JSX.Element {
  const { current, isStale, trans } = model;
  const { headroom_bytes } = device;
  const isKnown = !isStale && current && headroom_bytes !== null;
  return (
    <span className="jp-mod-headroom" role="gridcell">
      {isKnown ? (
        <>
          <LevelIcon condition={levelIn(current.state, device)} />
          <Adapting
            long={trans.__('headroom %1', formatBytes(headroom_bytes))}
            short={trans.__('%1 left', formatBytes(headroom_bytes))}
          />
        </>
      ) : (
        trans.__('headroom %1', nameSize(null, trans))
      )}
    </span>
  );
}

/** All numbers of a device, with notes that explain them. */
function Detail({ device, model }: IDeviceProps): React.JSX.Element {
  const { current, isStale, trans } = model;
  const isKnown = !isStale && current;
  return (
    <div
      className="jp-GpuHeadroom-deviceDetail"
      role="row"
      aria-level={2}
      data-id={`${device.index}/detail`}
      tabIndex={-1}
    >
      <div role="gridcell">
        <DeviceNumbers
          device={device}
          condition={isKnown ? levelIn(current.state, device) : null}
          part={
            current && (
              <WorkersPart
                device={device}
                state={current.state}
                trans={trans}
              />
            )
          }
          trans={trans}
        />
        <DeviceNotes device={device} trans={trans} />
        <Started device={device} model={model} />
      </div>
    </div>
  );
}

/**
 * The cell that initialized CUDA, which matters before forking, for example to train on
 * all GPUs.
 */
function Started({ device, model }: IDeviceProps): React.JSX.Element | null {
  const { current, trans } = model;
  const started = current?.state.sample?.cuda_started ?? null;
  return started && device.backend === 'cuda' ? (
    <Hint icon="info">
      {trans.__(
        'CUDA was started by %1. Launchers that fork, such as notebook_launcher, need a kernel in which it was not.',
        formatPrompt(started.execution_count)
      )}
    </Hint>
  ) : null;
}
