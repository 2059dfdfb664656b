import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Icon } from '../components/icon';
import { WorkerBar } from '../components/workerbar';
import type { IWorkersReading } from '../memory/workers';
import { gaugeOf } from '../memory/workerwords';

/** Workers in the gauge: behind the kernel's own numbers, or alone if it has none. */
export function GaugeWorkers(props: {
  workers: IWorkersReading;
  isCompact: boolean;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { isCompact, trans, workers } = props;
  const { gpu, isAlone, isFuller } = workers;
  const text = gaugeOf(workers, trans);
  if (isAlone) {
    return (
      <>
        {gpu?.simulated && <Icon name="flask" />}
        <span className="jp-GpuHeadroom-text">{text}</span>
        {gpu && (
          <WorkerBar
            gpu={gpu}
            size={isCompact ? 'compact' : 'small'}
            trans={trans}
          />
        )}
      </>
    );
  }
  // With little room, only what the kernel's own numbers do not show.
  return isCompact && !isFuller ? null : (
    <span className="jp-GpuHeadroom-workers">{`· ${text}`}</span>
  );
}
