import * as React from 'react';

import { Icon, type IconName } from './icon';

/** A sentence with its icon. */
export function Hint(
  props: React.PropsWithChildren<{ icon: IconName }>
): React.JSX.Element {
  return (
    <div className="jp-GpuHeadroom-hint">
      <Icon name={props.icon} />
      <p>{props.children}</p>
    </div>
  );
}

/** A headline with a sentence: why there are no numbers. */
export function Note(
  props: React.PropsWithChildren<{ icon: IconName; title: string }>
): React.JSX.Element {
  return (
    <>
      <h2 className="jp-GpuHeadroom-headline">{props.title}</h2>
      <Hint icon={props.icon}>{props.children}</Hint>
    </>
  );
}
