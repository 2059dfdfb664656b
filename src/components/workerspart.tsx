import * as React from 'react';

import type { IMemoryState } from '../memory/state';
import { workersOn } from '../memory/workerwords';
import type { IDevice } from '../protocol';
import { formatBytes } from '../text/format';
import type { ICountingTranslate } from '../text/translate';

/** The part of a device's external memory that workers of its notebook use. */
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
