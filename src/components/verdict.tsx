import * as React from 'react';

import { Icon } from './icon';

/** A sign for whether something fits, beside a text that says the same. */
export function Verdict(props: {
  /** `null`: unknown. */
  fits: boolean | null;
}): React.JSX.Element {
  const { fits } = props;
  return <Icon name={fits === null ? 'info' : fits ? 'check' : 'octagon'} />;
}
