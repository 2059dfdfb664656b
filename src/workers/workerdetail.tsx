import * as React from 'react';

import { Button } from '../components/button';
import { nameCardWorker } from '../memory/workerwords';
import type { ICardWorker, IWorkerCard, WorkerAction } from '../protocol';
import { confirmEnd } from './confirmation';
import { heldBy } from './leftover';
import type { IWorkersProps } from './props';
import { describeWorker, nameAction } from './words';

/** What is known of a worker besides its size, and what can be done with it. */
export function WorkerDetail(
  props: IWorkersProps & { card: IWorkerCard; worker: ICardWorker }
): React.JSX.Element {
  const { card, trans, worker, workers } = props;
  const { actions } = workers;
  const run = async (action: WorkerAction): Promise<void> => {
    const { engine, id, left_over: isLeftOver } = worker;
    const name = nameCardWorker(worker, trans);
    const bytes = heldBy([worker]);
    const price =
      action === 'restart' && engine === 'dask'
        ? await actions.price(id)
        : null;
    const proposal = { engine, name, bytes, isLeftOver, price };
    if (
      action === 'free' ||
      (await confirmEnd({ ...proposal, action }, trans))
    ) {
      await actions.release([id], action, name);
    }
  };
  return (
    <>
      <p>{describeWorker(worker, card.host, trans)}</p>
      <div className="jp-GpuHeadroom-actions">
        {worker.actions.map(action => (
          <Button
            key={action}
            label={nameAction(action, trans)}
            onPress={actions.going ? null : () => void run(action)}
          />
        ))}
      </div>
    </>
  );
}
