import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { DeviceBar } from '../components/bar';
import { Icon } from '../components/icon';
import { LevelIcon } from '../components/levelicon';
import { pickNeighbour } from '../lab/picking';
import { levelIn } from '../memory/level';
import type { IMemoryState } from '../memory/state';
import type { IDevice } from '../protocol';
import { formatBytes } from '../text/format';
import { nameSize } from '../text/names';

interface IDeviceTableProps {
  state: IMemoryState;
  devices: readonly IDevice[];
  /** The index of the one that is shown below. */
  picked: number;
  isStale: boolean;
  onPick: (index: number) => void;
  trans: TranslationBundle;
}

/**
 * All GPUs of the kernel, a line each; ↑, ↓ and a click pick one.
 */
export function DeviceTable(props: IDeviceTableProps): React.JSX.Element {
  const { devices, trans } = props;
  return (
    <>
      <Title devices={devices} trans={trans} />
      <table
        className="jp-GpuHeadroom-deviceTable"
        role="grid"
        aria-label={trans.__('GPU shown below')}
        onKeyDown={pickNeighbour}
      >
        <thead>
          <tr>
            <td />
            <td />
            <th scope="col">{trans.__('used')}</th>
            <th scope="col">{trans.__('headroom')}</th>
          </tr>
        </thead>
        <tbody>
          {devices.map(device => (
            <Row key={device.index} {...props} device={device} />
          ))}
        </tbody>
      </table>
    </>
  );
}

/** "4 GPUs NVIDIA L4, 22.0 GiB each"; what differs is left out. */
function Title({
  devices,
  trans
}: Pick<IDeviceTableProps, 'devices' | 'trans'>): React.JSX.Element {
  const count = devices.length;
  const isSimulated = devices.every(({ simulated }) => simulated);
  const name = common(devices.map(device => device.name));
  const capacity = common(devices.map(device => device.capacity_bytes));
  const facts = [
    isSimulated ? null : name,
    capacity === null ? null : trans.__('%1 each', formatBytes(capacity))
  ];
  return (
    <p className="jp-GpuHeadroom-device">
      {isSimulated && <Icon name="flask" />}
      <strong>
        {isSimulated
          ? trans.__('%1 simulated GPUs', count)
          : trans.__('%1 GPUs', count)}
      </strong>{' '}
      {facts.filter(Boolean).join(', ')}
    </p>
  );
}

function common<T>(values: readonly T[]): T | null {
  const [first = null] = values;
  return values.every(value => value === first) ? first : null;
}

function Row(
  props: IDeviceTableProps & { device: IDevice }
): React.JSX.Element {
  const { device, picked, isStale, onPick, state, trans } = props;
  const { index, name, used_bytes, in_use_bytes, headroom_bytes } = device;
  const isPicked = index === picked;
  return (
    <tr
      aria-selected={isPicked}
      tabIndex={isPicked ? 0 : -1}
      title={name ?? undefined}
      onClick={() => {
        onPick(index);
      }}
    >
      <th scope="row">{trans.__('GPU %1', index)}</th>
      <td>
        <DeviceBar
          device={device}
          isStale={isStale}
          size="wide"
          trans={trans}
        />
      </td>
      <td>{amount(used_bytes ?? in_use_bytes, trans)}</td>
      <td>
        <LevelIcon condition={isStale ? null : levelIn(state, device)} />
        <strong>{amount(headroom_bytes, trans)}</strong>
      </td>
    </tr>
  );
}

/** The unit stands in the title, unless it is another one. */
function amount(bytes: number | null, trans: TranslationBundle): string {
  return bytes === 0 ? '0' : nameSize(bytes, trans).replace(/ GiB$/, '');
}
