import * as React from 'react';

import { Icon } from './icon';

/** A sign for whether something fits, beside words that say the same. */
export function Verdict(props: {
  /** `null`: that is not known. */
  fits: boolean | null;
}): React.JSX.Element {
  const { fits } = props;
  return <Icon name={fits === null ? 'info' : fits ? 'check' : 'octagon'} />;
}
