import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Hint } from '../components/hint';
import { Sentence } from '../components/sentence';
import { fillingIn } from '../memory/level';
import type { IMemoryState } from '../memory/state';
import { trendOf } from '../memory/timeline';
import type { IDevice } from '../protocol';
import { words } from '../text/messages';
import { describeGrowth } from './words';

/**
 * Growth of a device's memory while a cell runs, and the last warning about it, unless
 * the growth already says the same.
 */
export function Findings(props: {
  state: IMemoryState;
  device: IDevice;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { state, device, trans } = props;
  const { warning } = state;
  const trend = trendOf(state, device);
  const growth = trend?.state === 'growing' ? trend : null;
  const isSoon = growth !== null && fillingIn(state, [growth]) !== null;
  const isShown =
    warning !== null &&
    (warning.device_index ?? device.index) === device.index &&
    !(growth && warning.kind === 'filling_up');
  return (
    <>
      {growth && (
        <Hint icon={isSoon ? 'triangle' : 'arrow'}>
          {describeGrowth(growth, trans)}
        </Hint>
      )}
      {isShown && (
        <Hint icon="triangle">
          <Sentence text={words(trans).sentence(warning.message)} />
        </Hint>
      )}
    </>
  );
}
