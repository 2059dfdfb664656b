import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Button } from '../components/button';
import { Hint } from '../components/hint';
import type { IconName } from '../components/icon';
import { Sentence } from '../components/sentence';
import type { EngineName, IFollowed } from '../protocol';
import { words } from '../text/messages';
import { describeEngine } from './words';
import type { Workers } from './workers';

/**
 * Engines whose workers get the helper, and lose it again, only on request of the user.
 */
const ASKED: readonly EngineName[] = ['dask', 'ipyparallel', 'ray'];

const ICONS: Readonly<Record<IFollowed['state'], IconName>> = {
  following: 'clock',
  measured: 'check',
  not_measured: 'info',
  silent: 'triangle'
};

/** State of an engine, with a button to have its workers measured. */
export function Engine(props: {
  engine: IFollowed;
  /** Whether the user may have workers measured. */
  mayMeasure: boolean;
  workers: Workers;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { mayMeasure, trans, workers } = props;
  const { engine, message, state } = props.engine;
  const text = describeEngine(props.engine, trans);
  const isWanted = state === 'not_measured';
  const isOffered =
    ASKED.includes(engine) &&
    state !== 'following' &&
    (!isWanted || mayMeasure);
  return text || message ? (
    <div className="jp-GpuHeadroom-engine">
      <Hint icon={ICONS[state]} isSpoken={state === 'following'}>
        {text} {message && <Sentence text={words(trans).sentence(message)} />}
      </Hint>
      {isOffered && (
        <Button
          label={
            isWanted ? trans.__('Measure all') : trans.__('Stop measuring')
          }
          focusKey={engine}
          onPress={
            workers.isBusy ? null : () => void workers.follow(engine, isWanted)
          }
        />
      )}
    </div>
  ) : null;
}
