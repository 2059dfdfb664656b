import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Button } from '../components/button';
import { Icon } from '../components/icon';
import { WorkerBar } from '../components/workerbar';
import type { IWorkersReading } from '../memory/workers';
import {
  countAll,
  describeUse,
  gaugeOf,
  nameCardWorker,
  placeOf
} from '../memory/workerwords';

interface IWorkersProps {
  workers: IWorkersReading;
  trans: TranslationBundle;
}

/**
 * What the gauge shows of workers: behind the kernel's own numbers, or alone where
 * it has none.
 */
export function GaugeWorkers(
  props: IWorkersProps & { isCompact: boolean }
): React.JSX.Element | null {
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

/** The fullest card of the workers, and the way to the others. */
export function PopupWorkers(
  props: IWorkersProps & {
    /** `null`: there is no panel. */
    onMore: (() => void) | null;
  }
): React.JSX.Element {
  const { onMore, trans, workers } = props;
  const { card } = workers;
  const counted = countAll(workers.workers, trans);
  return (
    <>
      {card ? (
        <>
          <p className="jp-GpuHeadroom-device">
            {card.simulated && <Icon name="flask" />}
            <strong>{placeOf(card, trans)}</strong>{' '}
            {whoIsOn(workers, card, trans)}
          </p>
          <WorkerBar card={card} size="wide" trans={trans} />
          <p className="jp-GpuHeadroom-notice">
            {trans.__('used %1', describeUse(card, trans))}
          </p>
        </>
      ) : (
        <p>{trans.__('%1: not measured', counted)}</p>
      )}
      {onMore && <Button label={trans.__('Show workers')} onPress={onMore} />}
    </>
  );
}

/** "rank 1"; of several workers on it the largest, and how many others. */
function whoIsOn(
  { workers }: IWorkersReading,
  card: NonNullable<IWorkersReading['card']>,
  trans: TranslationBundle
): string {
  const [first] = card.workers;
  const others = card.workers.length - 1 + card.more_workers;
  const name = first ? nameCardWorker(first, trans) : '';
  const named =
    others > 0
      ? trans._n('%2 and %1 other', '%2 and %1 others', others, name)
      : name;
  const isOne = workers.reduce((sum, { count }) => sum + count, 0) < 2;
  return isOne ? named : trans.__('%1, the fullest', named);
}
