import * as React from 'react';

import type { Condition } from '../memory/level';
import type { IDevice } from '../protocol';
import { formatBytes, formatPair } from '../text/format';
import { words } from '../text/messages';
import { nameFrameworks, nameSize, numberDevice } from '../text/names';
import type { ITranslate } from '../text/translate';
import { DeviceBar, kindClass, partsOf } from './bar';
import { Hint } from './hint';
import { Icon } from './icon';
import { LevelIcon } from './levelicon';
import { Sentence } from './sentence';

interface IDeviceProps {
  device: IDevice;
  trans: ITranslate;
}

interface IConditionProps extends IDeviceProps {
  /** Condition of the device; `null` while its numbers are stale. */
  condition: Condition | null;
}

/** Name of a GPU: "GPU 0 Tesla T4, 14.7 GiB". */
export function DeviceTitle({
  device,
  rank,
  trans
}: IDeviceProps & {
  /** Its rank among several. */
  rank?: string;
}): React.JSX.Element {
  const { capacity_bytes, capacity_limited, index, name, simulated } = device;
  const capacity = capacity_bytes === null ? null : formatBytes(capacity_bytes);
  const facts = [
    simulated ? null : name,
    capacity,
    device.shared_with_host ? trans.__('shared with the host') : null,
    capacity_limited ? trans.__('limited by a memory fraction') : null,
    rank
  ];
  return (
    <p className="jp-GpuHeadroom-device">
      {simulated && <Icon name="flask" />}
      <strong>{numberDevice({ index, simulated }, trans)}</strong>{' '}
      {facts.filter(Boolean).join(', ')}
    </p>
  );
}

/** Verdict on the numbers of a device. */
export function Headroom(props: IConditionProps): React.JSX.Element {
  const { device, condition, trans } = props;
  const { headroom_bytes } = device;
  return (
    <>
      <LevelIcon condition={condition} />
      {trans.__('Headroom: %1', nameSize(condition && headroom_bytes, trans))}
    </>
  );
}

interface INumbersProps extends IConditionProps {
  /** A row on a known part of the external memory. */
  part?: React.ReactNode;
}

/** The bar of a device and its four numbers; only the bar if they are stale. */
export function DeviceNumbers(props: INumbersProps): React.JSX.Element {
  const { device, condition, part, trans } = props;
  return (
    <>
      <DeviceBar
        device={device}
        isStale={condition === null}
        size="wide"
        trans={trans}
      />
      {condition !== null && (
        <>
          <SplitLine device={device} trans={trans} />
          <Legend device={device} part={part} trans={trans} />
        </>
      )}
    </>
  );
}

/** The boundary within the bar: used on its left, headroom on its right. */
export function SplitLine({
  device,
  trans
}: IDeviceProps): React.JSX.Element | null {
  const { used_bytes, capacity_bytes } = device;
  if (used_bytes === null || !capacity_bytes) {
    return null;
  }
  const pair = formatPair(used_bytes, capacity_bytes, trans.__(' of '));
  return (
    <div className="jp-GpuHeadroom-split">
      <span
        style={{ width: `${100 * Math.min(1, used_bytes / capacity_bytes)}%` }}
      >
        {trans.__('used %1', pair)}
      </span>
      <span>{trans.__('headroom')}</span>
    </div>
  );
}

/** The four numbers, each with the pattern of its segment. */
function Legend({
  device,
  part,
  trans
}: Omit<INumbersProps, 'condition'>): React.JSX.Element {
  const names = namesOf(device, trans);
  const { others_bytes } = device;
  return (
    <dl className="jp-GpuHeadroom-legend">
      {partsOf(device).map(({ kind, bytes }) => (
        <React.Fragment key={kind}>
          <div>
            <dt>
              <span className={`jp-GpuHeadroom-swatch ${kindClass(kind)}`} />
              {names[kind]}
            </dt>
            <dd>{nameSize(bytes, trans)}</dd>
          </div>
          {kind === 'outside' && others_bytes !== null && others_bytes > 0 && (
            <div className="jp-mod-detail">
              <dt>{trans.__('of it, other programs')}</dt>
              <dd>{formatBytes(others_bytes)}</dd>
            </div>
          )}
          {kind === 'outside' && part}
        </React.Fragment>
      ))}
    </dl>
  );
}

function namesOf(
  { frameworks }: IDevice,
  trans: ITranslate
): Record<ReturnType<typeof partsOf>[number]['kind'], string> {
  const caching = frameworks.filter(framework => framework.cached_bytes);
  const cachers = nameFrameworks(
    caching.length > 0 ? caching : frameworks,
    trans
  );
  const isPool = caching.some(({ preallocated }) => preallocated);
  return {
    outside: trans.__(
      "Outside this kernel's %1",
      nameFrameworks(frameworks, trans)
    ),
    tensors: trans.__('In use by tensors'),
    cached: isPool
      ? trans.__('Reserved by %1, unused', cachers)
      : trans.__('Cached by %1, unused', cachers),
    free: trans.__('Free')
  };
}

/** Notes that explain the numbers. */
export function DeviceNotes({
  device,
  trans
}: IDeviceProps): React.JSX.Element {
  return (
    <>
      {device.shared_with_host && (
        <Hint icon="info">
          {trans.__(
            'Shared with the host: its programs use this memory, and free is what it has available.'
          )}
        </Hint>
      )}
      {device.notes.map(note => (
        <Hint key={note.id} icon="info">
          <Sentence text={words(trans).sentence(note)} />
        </Hint>
      ))}
    </>
  );
}
