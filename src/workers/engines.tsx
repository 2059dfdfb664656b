import * as React from 'react';

import { Button } from '../components/button';
import { Hint } from '../components/hint';
import type { IconName } from '../components/icon';
import { Sentence } from '../components/sentence';
import type { EngineName, IFollowed } from '../protocol';
import { words } from '../text/messages';
import type { IWorkersProps } from './props';
import { describeEngine } from './words';

/** Those into whose workers the helper is put, and taken back, on a person's word. */
const ASKED: readonly EngineName[] = ['dask', 'ipyparallel', 'ray'];

const ICONS: Readonly<Record<IFollowed['state'], IconName>> = {
  following: 'clock',
  measured: 'check',
  not_measured: 'info',
  silent: 'triangle'
};

interface IEnginesProps extends IWorkersProps {
  engines: readonly IFollowed[];
  mayMeasure: boolean;
}

/** How it stands with each engine, and the way to have its workers measured. */
export function Engines(props: IEnginesProps): React.JSX.Element {
  return (
    <>
      {props.engines.map(engine => (
        <Engine key={engine.engine} {...props} engine={engine} />
      ))}
    </>
  );
}

function Engine(
  props: IEnginesProps & { engine: IFollowed }
): React.JSX.Element | null {
  const { engine, trans } = props;
  const { message, state } = engine;
  const text = describeEngine(engine, trans);
  if (!text && !message) {
    return null;
  }
  return (
    <div className="jp-GpuHeadroom-engine">
      <Hint icon={ICONS[state]} isSpoken={state === 'following'}>
        {text} {message && <Sentence text={words(trans).sentence(message)} />}
      </Hint>
      <Following {...props} />
    </div>
  );
}

function Following(
  props: IEnginesProps & { engine: IFollowed }
): React.JSX.Element | null {
  const { mayMeasure, trans, workers } = props;
  const { engine, state } = props.engine;
  const isWanted = state === 'not_measured';
  if (
    !ASKED.includes(engine) ||
    state === 'following' ||
    (isWanted && !mayMeasure)
  ) {
    return null;
  }
  const { actions } = workers;
  return (
    <Button
      label={isWanted ? trans.__('Measure them') : trans.__('Stop measuring')}
      focusKey={engine}
      onPress={
        actions.isBusy ? null : () => void actions.follow(engine, isWanted)
      }
    />
  );
}
