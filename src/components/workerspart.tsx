import * as React from 'react';

import type { IMemoryState } from '../memory/state';
import { workersOn } from '../memory/workerwords';
import type { IDevice } from '../protocol';
import { formatBytes } from '../text/format';
import type { ICountingTranslate } from '../text/translate';

/** Of what is outside on a device, what workers of its notebook hold. */
export function WorkersPart(props: {
  device: IDevice;
  state: IMemoryState;
  trans: ICountingTranslate;
}): React.JSX.Element | null {
  const part = workersOn(props.device, props.state, props.trans);
  return (
    part && (
      <div className="jp-mod-detail">
        <dt>{part.name}</dt>
        <dd>{formatBytes(part.bytes)}</dd>
      </div>
    )
  );
}
