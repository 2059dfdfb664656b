import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Hint } from '../components/hint';
import { Sentence } from '../components/sentence';
import { fillingIn } from '../memory/level';
import type { IMemoryState } from '../memory/state';
import { trendOf } from '../memory/timeline';
import type { IDevice } from '../protocol';
import { words } from '../text/messages';
import { describeTrend } from './words';

interface IFindingsProps {
  state: IMemoryState;
  device: IDevice;
  trans: TranslationBundle;
}

/**
 * Where the memory of a device goes while a cell runs, and the last warning.
 */
export function Findings(props: IFindingsProps): React.JSX.Element {
  return (
    <>
      <TrendLine {...props} />
      <LastWarning {...props} />
    </>
  );
}

function TrendLine(props: IFindingsProps): React.JSX.Element | null {
  const { state, device, trans } = props;
  const trend = trendOf(state, device);
  if (!trend) {
    return null;
  }
  const { headline, detail } = describeTrend(trend, state.cell, trans);
  const isSoon = fillingIn(state, [trend]) !== null;
  return (
    <Hint icon={isSoon ? 'triangle' : 'arrow'}>
      {isSoon ? <strong>{headline}</strong> : headline}
      {detail && <span className="jp-GpuHeadroom-evidence">{detail}</span>}
    </Hint>
  );
}

/** Growth that shows as a trend needs no second sentence. */
function LastWarning(props: IFindingsProps): React.JSX.Element | null {
  const { state, device, trans } = props;
  const { warning } = state;
  const isOther = (warning?.device_index ?? device.index) !== device.index;
  const isTold =
    warning?.kind === 'filling_up' &&
    trendOf(state, device)?.state === 'growing';
  return !warning || isOther || isTold ? null : (
    <Hint icon="triangle">
      <Sentence text={words(trans).sentence(warning.message)} />
    </Hint>
  );
}
