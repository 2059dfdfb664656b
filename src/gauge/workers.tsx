import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Icon } from '../components/icon';
import { WorkerBar } from '../components/workerbar';
import type { IWorkersReading } from '../memory/workers';
import { gaugeOf } from '../memory/workerwords';

/**
 * What the gauge shows of workers: behind the kernel's own numbers, or alone where
 * it has none.
 */
export function GaugeWorkers(props: {
  workers: IWorkersReading;
  isCompact: boolean;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { isCompact, trans, workers } = props;
  const { card, isAlone, isFuller } = workers;
  const text = gaugeOf(workers, trans);
  if (isAlone) {
    return (
      <>
        {card?.simulated && <Icon name="flask" />}
        <span className="jp-GpuHeadroom-text">{text}</span>
        {card && (
          <WorkerBar
            card={card}
            size={isCompact ? 'compact' : 'small'}
            trans={trans}
          />
        )}
      </>
    );
  }
  // Where room is short, only what the kernel's own numbers do not say.
  return isCompact && !isFuller ? null : (
    <span className="jp-GpuHeadroom-workers">{`· ${text}`}</span>
  );
}
