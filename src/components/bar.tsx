import { formatBytes } from '../text/format';
import * as React from 'react';

import type { IDevice } from '../protocol';
import { nameSize } from '../text/names';
import type { ITranslate } from '../text/translate';

/** Class names that give a kind of memory its color. */
export function kindClass(kind: string): string {
  return `jp-GpuHeadroom-kind jp-mod-${kind.replace('_', '-')}`;
}

interface IBarProps<Part> {
  parts: readonly Part[];
  /** Bytes of the whole bar. */
  total: number;
  /** Accessible label, with all that the bar shows. */
  label: string;
  /** `tall` has room for text within the parts. */
  size: 'compact' | 'small' | 'wide' | 'tall';
  /** Content of a part. */
  inscribe?: (part: Part) => React.ReactNode;
  isStale?: boolean;
  isSimulated?: boolean;
}

/** A stacked bar. Widths are proportional to bytes; the rest of the total stays empty. */
export function Bar<Part extends { kind: string; bytes: number }>(
  props: IBarProps<Part>
): React.JSX.Element {
  const { parts, total, label, size, inscribe, isStale, isSimulated } = props;
  const states = [
    isStale ? ' jp-mod-stale' : '',
    isSimulated ? ' jp-mod-simulated' : ''
  ];
  return (
    <span
      className={`jp-GpuHeadroom-bar jp-mod-${size}${states.join('')}`}
      role="img"
      aria-label={label}
    >
      {parts.map((part, index) => (
        <span
          key={`${part.kind} ${index}`}
          className={`jp-GpuHeadroom-segment ${kindClass(part.kind)}`}
          style={{ flexGrow: part.bytes / total }}
        >
          {inscribe?.(part)}
        </span>
      ))}
    </span>
  );
}

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

/** The bar of a device, from the left: external, tensors and cached; the rest is free. */
export function DeviceBar(props: {
  device: IDevice;
  /** The numbers are stale. */
  isStale: boolean;
  size: 'compact' | 'small' | 'wide';
  trans: ITranslate;
}): React.JSX.Element | null {
  const { device, isStale, size, trans } = props;
  const { capacity_bytes, simulated } = device;
  if (!capacity_bytes) {
    return null;
  }
  const filled = partsOf(device).flatMap(({ kind, bytes }) =>
    kind === 'free' || !bytes || bytes < 0 ? [] : [{ kind, bytes }]
  );
  return (
    <Bar
      parts={filled}
      total={capacity_bytes}
      label={describeBar(device, capacity_bytes, trans)}
      size={size}
      isStale={isStale}
      isSimulated={simulated}
    />
  );
}

/** Accessible name of a bar: its parts and the capacity. */
export function describeBar(
  memory: Pick<
    IDevice,
    'cached_bytes' | 'free_bytes' | 'in_use_bytes' | 'outside_bytes'
  >,
  capacity_bytes: number,
  trans: ITranslate
): string {
  return trans.__(
    'GPU memory: in tensors %1, unused cache %2, outside %3, free %4, of %5',
    formatBytes(memory.in_use_bytes),
    formatBytes(memory.cached_bytes),
    nameSize(memory.outside_bytes, trans),
    nameSize(memory.free_bytes, trans),
    formatBytes(capacity_bytes)
  );
}
