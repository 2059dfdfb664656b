import * as React from 'react';

import type { IWorkerCard } from '../protocol';
import { nameSize } from '../text/names';
import type { ITranslate } from '../text/translate';
import { Bar } from './bar';

/**
 * The bar of a GPU used by workers, in the order of a device's bar; nothing if its size
 * is unknown.
 */
export function WorkerBar(props: {
  card: IWorkerCard;
  /** The numbers are stale. */
  isStale?: boolean;
  size: 'compact' | 'small' | 'wide';
  trans: ITranslate;
}): React.JSX.Element | null {
  const { card, isStale, size, trans } = props;
  const { capacity_bytes, simulated } = card;
  if (!capacity_bytes) {
    return null;
  }
  const parts = [
    { kind: 'outside', bytes: card.outside_bytes ?? 0 },
    { kind: 'tensors', bytes: card.in_use_bytes },
    { kind: 'cached', bytes: card.cached_bytes }
  ];
  return (
    <Bar
      parts={parts.filter(({ bytes }) => bytes > 0)}
      total={capacity_bytes}
      label={trans.__(
        'GPU memory: by workers in tensors %1, unused cache %2, outside them %3, of %4',
        nameSize(card.in_use_bytes, trans),
        nameSize(card.cached_bytes, trans),
        nameSize(card.outside_bytes, trans),
        nameSize(capacity_bytes, trans)
      )}
      size={size}
      isStale={isStale}
      isSimulated={simulated}
    />
  );
}
