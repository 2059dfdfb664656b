import * as React from 'react';

import { Icon, type IconName } from './icon';

/** A sentence with its icon. */
export function Hint(
  props: React.PropsWithChildren<{
    icon: IconName;
    /** Announced to screen readers as well. */
    isSpoken?: boolean;
  }>
): React.JSX.Element {
  return (
    <div
      className="jp-GpuHeadroom-hint"
      role={props.isSpoken ? 'status' : undefined}
    >
      <Icon name={props.icon} />
      <p>{props.children}</p>
    </div>
  );
}
