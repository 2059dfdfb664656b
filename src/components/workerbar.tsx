import * as React from 'react';

import type { IWorkerGpu } from '../protocol';
import { nameSize } from '../text/names';
import type { ITranslate } from '../text/translate';
import { Bar } from './bar';

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
  const parts = [
    { kind: 'outside', bytes: gpu.outside_bytes ?? 0 },
    { kind: 'tensors', bytes: gpu.in_use_bytes },
    { kind: 'cached', bytes: gpu.cached_bytes }
  ];
  return (
    <Bar
      parts={parts.filter(({ bytes }) => bytes > 0)}
      total={capacity_bytes}
      label={trans.__(
        'GPU memory: by workers in tensors %1, unused cache %2, outside them %3, of %4',
        nameSize(gpu.in_use_bytes, trans),
        nameSize(gpu.cached_bytes, trans),
        nameSize(gpu.outside_bytes, trans),
        nameSize(capacity_bytes, trans)
      )}
      size={size}
      isStale={isStale}
      isSimulated={simulated}
    />
  );
}
