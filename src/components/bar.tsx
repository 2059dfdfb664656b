import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { IDevice } from '../protocol';
import { nameSize } from '../text/names';
import { kindClass } from './dom/bar';

/** The four parts of a device, in the order of the bar; `null`: not measured. */
export function partsOf(device: IDevice): {
  kind: 'outside' | 'tensors' | 'cached' | 'free';
  bytes: number | null;
}[] {
  return [
    { kind: 'outside', bytes: device.outside_bytes },
    { kind: 'tensors', bytes: device.in_use_bytes },
    { kind: 'cached', bytes: device.cached_bytes },
    { kind: 'free', bytes: device.free_bytes }
  ];
}

interface IBarProps {
  device: IDevice;
  /** The numbers are old. */
  isStale: boolean;
  size: 'compact' | 'small' | 'wide';
  trans: TranslationBundle;
}

/**
 * The bar: outside, tensors and cached from the left, the rest is free.
 */
export function Bar(props: IBarProps): React.JSX.Element | null {
  const { device, isStale, size, trans } = props;
  const { capacity_bytes } = device;
  if (!capacity_bytes) {
    return null;
  }
  const filled = partsOf(device).filter(
    ({ kind, bytes }) => kind !== 'free' && bytes !== null && bytes > 0
  );
  const state = [
    `jp-mod-${size}`,
    isStale ? 'jp-mod-stale' : '',
    device.simulated ? 'jp-mod-simulated' : ''
  ];
  return (
    <span
      className={['jp-GpuHeadroom-bar', ...state].join(' ').trim()}
      role="img"
      aria-label={describeBar(device, capacity_bytes, trans)}
    >
      {filled.map(({ kind, bytes }) => (
        <span
          key={kind}
          className={`jp-GpuHeadroom-segment ${kindClass(kind)}`}
          style={{ width: `${(100 * (bytes ?? 0)) / capacity_bytes}%` }}
        />
      ))}
    </span>
  );
}

function describeBar(
  device: IDevice,
  capacity_bytes: number,
  trans: TranslationBundle
): string {
  const size = (bytes: number | null): string => nameSize(bytes, trans);
  return trans.__(
    'GPU memory: in tensors %1, unused cache %2, outside this kernel %3, free %4, of %5',
    size(device.in_use_bytes),
    size(device.cached_bytes),
    size(device.outside_bytes),
    size(device.free_bytes),
    size(capacity_bytes)
  );
}
