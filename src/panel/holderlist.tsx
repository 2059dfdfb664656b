import * as React from 'react';

import { Hint } from '../components/hint';
import { explain } from '../kernel/problem';
import { Gap } from '../lab/gap';
import { WalkWait } from '../lab/wait';
import { isBusy } from '../memory/model';
import { explainIdle } from '../text/names';
import { HolderTable } from './holdertable';
import type { IPanelProps, PanelModel } from './model';
import { describeMoment, describeSum } from './words';

/** The table of what uses GPU memory, with explanations. */
export function HolderList({ model }: IPanelProps): React.JSX.Element {
  const { held, holders, trans } = model;
  const { last, problem = null, task } = holders?.measurement ?? {};
  const moment = explainMoment(model);
  // Only a long walk shows a button to cancel it; otherwise a line above would flicker.
  const isLong = (task?.elapsed_s ?? null) !== null;
  const sample = model.current?.state.sample;
  if (sample && sample.state !== 'live') {
    return (
      <Hint icon="info">
        {explainIdle(sample.state === 'not_initialised', trans)}{' '}
        {trans.__('The numbers appear with the first tensor on the GPU.')}
      </Hint>
    );
  }
  return (
    <>
      {holders && (isLong || !held) && moment && (
        <WalkWait label={moment} task={task ?? null} trans={trans} />
      )}
      {problem !== null && <Hint icon="info">{explain(problem, trans)}</Hint>}
      {last?.complete === false && (
        <Gap
          message={last.message}
          onMeasure={() => void holders?.measurement.measure(true)}
          trans={trans}
        />
      )}
      {held?.in_use_bytes === 0 && (
        <Hint icon="info">{trans.__('No tensor is on this GPU.')}</Hint>
      )}
      {held && held.in_use_bytes > 0 && (
        <>
          <HolderTable held={held} model={model} />
          <p className="jp-GpuHeadroom-notice">
            {!isLong && moment} {describeSum(held, trans)}
          </p>
        </>
      )}
    </>
  );
}

/** When the numbers were measured, if not just now. */
function explainMoment({ current, holders, trans }: PanelModel): string {
  const last = holders?.measurement.last;
  // A measurement that failed or was refused has a message that explains it.
  const isMade = last && (last.complete || last.devices.length > 0);
  const moment = isMade ? describeMoment(last, trans) : '';
  if (current && isBusy(current.state)) {
    const later = trans.__('Measured when the running cell ends.');
    return [moment, later].filter(Boolean).join(' ');
  }
  if (holders?.measurement.task?.isLong) {
    return trans.__('Measuring…');
  }
  return moment;
}
