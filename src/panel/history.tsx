import * as React from 'react';

import { Findings } from '../timeline/findings';
import { Timeline } from '../timeline/view';
import type { IBodyProps } from './model';

const HEIGHT_PX = 128;

/**
 * The last minutes of the GPU that was picked, and where its memory goes.
 */
export function History({
  model,
  width
}: IBodyProps): React.JSX.Element | null {
  const { current, device, trans } = model;
  if (!current || !device || width <= 0) {
    return null;
  }
  const { state } = current;
  return (
    <>
      <Timeline
        state={state}
        device={device}
        title={trans.__('Last 5 minutes')}
        width={width}
        height={HEIGHT_PX}
        trans={trans}
      />
      <Findings state={state} device={device} trans={trans} />
    </>
  );
}
