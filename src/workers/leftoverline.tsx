import * as React from 'react';

import { Button } from '../components/button';
import { Hint } from '../components/hint';
import { countWorkers } from '../memory/workerwords';
import type { IFollowedWorkers } from '../protocol';
import { confirmEnd } from './confirmation';
import { endable, heldBy, type ILeftOver, leftOverIn } from './leftover';
import type { IWorkersProps } from './props';
import { describeLeftOver } from './words';

/** That workers outlive their cell, and the way to end them. */
export function LeftOver(
  props: IWorkersProps & { told: IFollowedWorkers }
): React.JSX.Element {
  const { told, workers } = props;
  return (
    <>
      {leftOverIn(told, workers.answer?.cards ?? []).map(left => (
        <Line key={left.engine} {...props} left={left} />
      ))}
    </>
  );
}

function Line(props: IWorkersProps & { left: ILeftOver }): React.JSX.Element {
  const { left, trans, workers } = props;
  const { actions } = workers;
  const ids = endable(left.workers);
  const end = async (): Promise<void> => {
    const { engine } = left;
    const name = countWorkers({ engine, count: ids.length }, trans);
    const bytes = heldBy(left.workers);
    const proposal = { action: 'end', engine, name, bytes } as const;
    if (await confirmEnd({ ...proposal, isLeftOver: true }, trans)) {
      await actions.release(ids, 'end', name);
    }
  };
  return (
    <div className="jp-GpuHeadroom-engine">
      <Hint icon="triangle">{describeLeftOver(left, trans)}</Hint>
      {ids.length > 0 && (
        <Button
          label={trans._n('End it…', 'End them…', ids.length)}
          focusKey="end"
          onPress={actions.going ? null : () => void end()}
        />
      )}
    </div>
  );
}
