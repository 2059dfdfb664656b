import * as React from 'react';

import type { Condition } from '../memory/level';
import { Icon, type IconName } from './icon';

/** What a device is like, in outline; nothing where there is room enough. */
export const LEVEL_ICONS: Readonly<Partial<Record<Condition, IconName>>> = {
  filling: 'triangle',
  short: 'triangle',
  tight: 'triangle',
  critical: 'octagon'
};

/** The icon of a device; `null`: what it is like is not known. */
export function LevelIcon({
  condition
}: {
  condition: Condition | null;
}): React.JSX.Element | null {
  const name = condition && LEVEL_ICONS[condition];
  return name ? <Icon name={name} /> : null;
}
