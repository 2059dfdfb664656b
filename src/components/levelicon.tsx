import * as React from 'react';

import type { Condition } from '../memory/level';
import { Icon, type IconName } from './icon';

/** Icon of a condition, as an outline; none if there is enough room. */
export const LEVEL_ICONS: Readonly<Partial<Record<Condition, IconName>>> = {
  filling: 'triangle',
  short: 'triangle',
  tight: 'triangle',
  critical: 'octagon'
};

/** The icon of a device; `null`: its condition is unknown. */
export function LevelIcon({
  condition
}: {
  condition: Condition | null;
}): React.JSX.Element | null {
  const name = condition && LEVEL_ICONS[condition];
  return name ? <Icon name={name} /> : null;
}
