import * as React from 'react';

import type { Condition } from '../kernel/level';
import { Icon } from './icon';

/** What a device is like, in outline; nothing where there is room enough. */
export function LevelIcon({
  condition
}: {
  condition: Condition | null;
}): React.JSX.Element | null {
  if (condition === null || condition === 'ok') {
    return null;
  }
  return <Icon name={condition === 'critical' ? 'octagon' : 'triangle'} />;
}
