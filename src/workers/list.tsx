import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Button } from '../components/button';
import { Cut } from '../components/cut';
import { Hint } from '../components/hint';
import { WorkerBar } from '../components/workerbar';
import { askConsent } from '../lab/consent';
import { describeUse, placeOf } from '../memory/workerwords';
import type { IGpuWorker, IWorkerGpu, WorkerAction } from '../protocol';
import { formatBytes } from '../text/format';
import { describeProcess, describeState, nameGpuWorker } from './words';
import type { Workers } from './workers';

interface IListProps {
  workers: Workers;
  /** The numbers are stale. */
  isStale: boolean;
  trans: TranslationBundle;
}

/** The workers on the fullest GPUs, with a filter by name if there are more. */
export function WorkerList(props: IListProps): React.JSX.Element | null {
  const { trans, workers } = props;
  const { answer, filter, isCut } = workers;
  // Typed text is rendered at once, before the next reply.
  const [typed, setTyped] = React.useState(filter);
  if (!answer) {
    return null;
  }
  const rows = answer.gpus.flatMap(gpu =>
    gpu.workers.map(worker => ({ gpu, worker }))
  );
  const more = answer.total - rows.length;
  return (
    <>
      {isCut && (
        <input
          type="search"
          className="jp-GpuHeadroom-filter"
          aria-label={trans.__('Find by name')}
          placeholder={trans.__('Find by name')}
          value={typed}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value);
            workers.look(value);
          }}
        />
      )}
      {rows.length > 0 && (
        <ul
          className="jp-GpuHeadroom-workerList"
          aria-label={trans.__('Workers')}
        >
          {rows.map(row => (
            <Row key={`${row.worker.id} ${row.gpu.id}`} {...props} {...row} />
          ))}
        </ul>
      )}
      {filter && rows.length === 0 && (
        <Hint icon="info" isSpoken>
          {trans.__('No worker has this name.')}
        </Hint>
      )}
      {more > 0 && (
        <Hint icon="info">
          {trans._n(
            '%1 more worker, on a less full GPU.',
            '%1 more workers, on less full GPUs.',
            more
          )}
        </Hint>
      )}
    </>
  );
}

/** Ask the user to confirm ending a worker. */
async function agreesToEnd(
  { cached_bytes, in_use_bytes }: IGpuWorker,
  name: string,
  trans: TranslationBundle
): Promise<boolean> {
  const size = formatBytes(in_use_bytes + cached_bytes);
  const agreed = await askConsent(
    {
      title: trans.__('End %1?', name),
      costs: [],
      notes: [
        trans.__('Unsaved work is lost. This frees %1 of GPU memory.', size)
      ],
      label: trans.__('End')
    },
    trans
  );
  return agreed !== null;
}

/** A worker with its actions; below, its GPU. */
function Row(
  props: IListProps & { gpu: IWorkerGpu; worker: IGpuWorker }
): React.JSX.Element {
  const { gpu, isStale, trans, worker, workers } = props;
  const name = nameGpuWorker(worker, trans);
  const place = placeOf(gpu, trans);
  const run = async (action: WorkerAction): Promise<void> => {
    if (action === 'end' && !(await agreesToEnd(worker, name, trans))) {
      return;
    }
    workers.release(worker.id, action, name);
  };
  const labels = {
    free: [trans.__('Free'), trans.__('Free memory of %1', name)],
    end: [trans.__('End…'), trans.__('End %1…', name)]
  } as const;
  return (
    <li className={`jp-mod-${worker.state}`}>
      <div>
        <span
          className="jp-mod-name"
          title={describeProcess(worker, gpu.host, trans)}
        >
          <Cut name={name} /> <small>{describeState(worker, trans)}</small>
        </span>
        <span className="jp-mod-size">{formatBytes(worker.in_use_bytes)}</span>
      </div>
      {worker.actions.map(action => (
        <Button
          key={action}
          label={labels[action][0]}
          description={labels[action][1]}
          focusKey={`${action} ${worker.id} ${gpu.id}`}
          onPress={workers.isBusy ? null : () => void run(action)}
        />
      ))}
      <div>
        <small
          className="jp-mod-name"
          title={[place, gpu.name].filter(Boolean).join(', ')}
        >
          {place}
        </small>
        <WorkerBar gpu={gpu} isStale={isStale} size="small" trans={trans} />
        <small className="jp-mod-size">{describeUse(gpu, trans)}</small>
      </div>
    </li>
  );
}
