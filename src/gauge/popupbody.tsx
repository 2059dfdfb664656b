import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Buttons, type IButtonProps } from '../components/button';
import { DeviceTitle } from '../components/devicenumbers';
import { Gap } from '../components/gap';
import { Hint } from '../components/hint';
import { gapOf } from '../memory/gap';
import type { Reading } from '../memory/reading';
import { formatAge } from '../memory/readingwords';
import type { IMemoryState } from '../memory/state';
import { formatBytes } from '../text/format';
import { nameSize } from '../text/names';
import { History, Numbers } from './readings';

interface IPopupProps {
  reading: Reading;
  /** `null`: there is no kernel. */
  state: IMemoryState | null;
  isBusy: boolean;
  actions: readonly IButtonProps[];
  /** Notice to read before pressing a button. */
  notice: string;
  trans: TranslationBundle;
}

/** Content of the popup: memory in numbers, and the available actions. */
export function PopupBody(props: IPopupProps): React.JSX.Element {
  const { actions, notice, reading, state } = props;
  // The chart needs numbers at its end.
  const isCharted = 'device' in reading && reading.kind !== 'stale';
  return (
    <>
      <section>
        <State {...props} />
      </section>
      {isCharted && state && (
        <section>
          <History {...props} reading={reading} state={state} />
        </section>
      )}
      {(actions.length > 0 || notice) && (
        <section className="jp-GpuHeadroom-popupFoot">
          <div className="jp-GpuHeadroom-actions">
            <Buttons buttons={actions} />
          </div>
          {notice && <p className="jp-GpuHeadroom-notice">{notice}</p>}
        </section>
      )}
    </>
  );
}

function State(props: IPopupProps): React.JSX.Element | null {
  const { reading, state, trans } = props;
  const gap = gapOf(reading, state, trans);
  if (gap !== null) {
    const isOnly = reading.kind === 'idle' && reading.count === 1;
    return (
      <>
        {isOnly && reading.gpu && (
          <DeviceTitle device={reading.gpu} trans={trans} />
        )}
        <Gap gap={gap} trans={trans} />
      </>
    );
  }
  if (!('device' in reading) || state === null) {
    return null;
  }
  return reading.kind === 'stale' ? (
    <Stale {...props} reading={reading} />
  ) : (
    <Numbers {...props} reading={reading} state={state} />
  );
}

function Stale(
  props: IPopupProps & { reading: Extract<Reading, { kind: 'stale' }> }
): React.JSX.Element {
  const { reading, state, isBusy, trans } = props;
  const { device, age_ms } = reading;
  const last = trans.__(
    'Last measured %1: %2 used, headroom %3.',
    formatAge(age_ms, trans),
    formatBytes(device.used_bytes ?? device.in_use_bytes),
    nameSize(device.headroom_bytes, trans)
  );
  const why = isBusy
    ? trans.__(
        "The running cell holds Python's global interpreter lock, so nothing can be measured. This updates by itself."
      )
    : trans.__('The kernel does not answer. This updates by itself.');
  return (
    <>
      {state && <Numbers {...props} state={state} />}
      <Hint icon="clock">{`${last} ${why}`}</Hint>
    </>
  );
}
