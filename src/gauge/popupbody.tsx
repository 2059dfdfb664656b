import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Button, type IButtonProps } from '../components/button';
import { DeviceTitle } from '../components/devicenumbers';
import { Hint, Note } from '../components/hint';
import { explainDeath } from '../memory/death';
import type { Reading } from '../memory/reading';
import { explainOthers, formatAge } from '../memory/readingwords';
import type { IMemoryState } from '../memory/state';
import { formatBytes } from '../text/format';
import { words } from '../text/messages';
import { explainIdle, nameSize } from '../text/names';
import { History, Numbers } from './readings';

interface IPopupProps {
  reading: Reading;
  /** `null`: there is no kernel. */
  state: IMemoryState | null;
  isBusy: boolean;
  /** The index of the GPU that was picked; `null`: the one of the gauge. */
  picked: number | null;
  onPick: (index: number) => void;
  /** Takes the place of the numbers: a choice, or the result of a release. */
  instead: React.JSX.Element | null;
  actions: readonly IButtonProps[];
  /** What the person should know before pressing. */
  notice: string;
  trans: TranslationBundle;
}

/**
 * The popup: where the headroom is, in numbers, and what can be done.
 */
export function PopupBody(props: IPopupProps): React.JSX.Element {
  const { actions, instead, notice, reading, state } = props;
  // The chart: only where there are numbers that it leads up to.
  const isCharted = 'device' in reading && reading.kind !== 'stale';
  return (
    <>
      {instead ?? (
        <section>
          <State {...props} />
        </section>
      )}
      {!instead && isCharted && state && (
        <section>
          <History {...props} reading={reading} state={state} />
        </section>
      )}
      {(actions.length > 0 || notice) && (
        <section className="jp-GpuHeadroom-popupFoot">
          <div className="jp-GpuHeadroom-actions">
            {actions.map(action => (
              <Button key={action.label} {...action} />
            ))}
          </div>
          {notice && <p className="jp-GpuHeadroom-notice">{notice}</p>}
        </section>
      )}
    </>
  );
}

function State(props: IPopupProps): React.JSX.Element | null {
  const { reading, trans } = props;
  switch (reading.kind) {
    case 'hidden':
    case 'disconnected':
      return <Disconnected {...props} />;
    case 'off':
      return (
        <Note icon="info" title={trans.__('Off')}>
          {trans.__(
            'GPU Headroom is not running in this kernel. Starting it takes a moment and changes no variable.'
          )}
        </Note>
      );
    case 'problem':
      return (
        <Note icon="struckPlug" title={trans.__('Not measured')}>
          {reading.problem}
        </Note>
      );
    case 'stopped':
      return (
        <Note icon="octagon" title={trans.__('CUDA has stopped')}>
          {words(trans).sentence(reading.why)}
        </Note>
      );
    case 'none':
      return <NoGpu {...props} />;
    case 'idle':
      return (
        <>
          {reading.card && reading.count === 1 && (
            <DeviceTitle device={reading.card} trans={trans} />
          )}
          <Note icon="info" title={trans.__('Idle — not initialised')}>
            {explainIdle(reading.isLoaded, trans)}{' '}
            {explainOthers(reading, trans)}{' '}
            {trans.__('The numbers appear with the first tensor on the GPU.')}
          </Note>
        </>
      );
    case 'stale':
      return <Stale {...props} reading={reading} />;
    default:
      return (
        props.state && (
          <Numbers {...props} reading={reading} state={props.state} />
        )
      );
  }
}

function Disconnected({ reading, trans }: IPopupProps): React.JSX.Element {
  const death = reading.kind === 'disconnected' ? reading.death : null;
  return (
    <Note icon="struckPlug" title={trans.__('Not connected')}>
      {death
        ? trans.__('%1 Its GPU memory is free.', explainDeath(death, trans))
        : trans.__(
            'The kernel does not answer, so nothing is measured. If it died, its GPU memory is already free.'
          )}
    </Note>
  );
}

function NoGpu({ state, trans }: IPopupProps): React.JSX.Element {
  return (
    <Note icon="struckChip" title={trans.__('No GPU')}>
      {trans.__('This kernel sees no CUDA GPU.')}{' '}
      {state?.hello?.installed &&
        trans.__(
          'To try GPU Headroom without one, run gpu_headroom.simulate().'
        )}
    </Note>
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
        "The running cell holds Python's interpreter lock, so the kernel cannot be asked. This updates by itself."
      )
    : trans.__('The kernel does not answer. This updates by itself.');
  return (
    <>
      {state && <Numbers {...props} state={state} />}
      <Hint icon="clock">{`${last} ${why}`}</Hint>
    </>
  );
}
