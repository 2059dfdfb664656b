import * as React from 'react';

import type { IWorkerGpu } from '../protocol';
import type { ITranslate } from '../text/translate';
import { Bar, describeBar } from './bar';

/**
 * The bar of a GPU used by workers, in the order of a device's bar; nothing if its size
 * is unknown.
 */
export function WorkerBar(props: {
  gpu: IWorkerGpu;
  /** The numbers are stale. */
  isStale?: boolean;
  size: 'compact' | 'small' | 'wide';
  trans: ITranslate;
}): React.JSX.Element | null {
  const { gpu, isStale, size, trans } = props;
  const { capacity_bytes, simulated } = gpu;
  if (!capacity_bytes) {
    return null;
  }
  const { cached_bytes, in_use_bytes, outside_bytes } = gpu;
  const parts = [
    { kind: 'outside', bytes: outside_bytes ?? 0 },
    { kind: 'tensors', bytes: in_use_bytes },
    { kind: 'cached', bytes: cached_bytes }
  ];
  const rest = outside_bytes === null ? null : capacity_bytes - outside_bytes;
  const free_bytes = rest && Math.max(0, rest - in_use_bytes - cached_bytes);
  return (
    <Bar
      parts={parts.filter(({ bytes }) => bytes > 0)}
      total={capacity_bytes}
      label={describeBar({ ...gpu, free_bytes }, capacity_bytes, trans)}
      size={size}
      isStale={isStale}
      isSimulated={simulated}
    />
  );
}
