import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { formatBytes } from '../format';
import type { IHello } from '../protocol';
import { DeviceNumbers, DeviceTitle } from './devicenumbers';
import { Icon, type IconName } from './icons';
import type { Reading } from './reading';
import { explainIdle, formatAge } from './words';

/** Something that the person can do from the popup. */
export interface IPopupAction {
  readonly label: string;
  readonly isPrimary: boolean;
  readonly isEnabled: boolean;
  readonly run: () => void;
}

interface IPopupProps {
  reading: Reading;
  hello: IHello | null;
  isBusy: boolean;
  /** Replaces what the numbers would say, such as the result of a release. */
  result: React.JSX.Element | null;
  actions: readonly IPopupAction[];
  /** What the person should know before pressing. */
  notice: string;
  trans: TranslationBundle;
}

/**
 * The popup: where the headroom is, in numbers, and what can be done.
 */
export function PopupBody(props: IPopupProps): React.JSX.Element {
  const { actions, notice, result } = props;
  return (
    <>
      <section>{result ?? <State {...props} />}</section>
      {(actions.length > 0 || notice) && (
        <section>
          <div className="jp-GpuHeadroom-actions">
            {actions.map(action => (
              <ActionButton key={action.label} {...action} />
            ))}
          </div>
          {notice && <p className="jp-GpuHeadroom-notice">{notice}</p>}
        </section>
      )}
    </>
  );
}

function ActionButton(action: IPopupAction): React.JSX.Element {
  const kind = action.isPrimary ? ' jp-mod-primary' : '';
  return (
    <button
      type="button"
      className={`jp-GpuHeadroom-button${kind}`}
      aria-disabled={!action.isEnabled}
      onClick={() => {
        if (action.isEnabled) {
          action.run();
        }
      }}
    >
      {action.label}
    </button>
  );
}

function State(props: IPopupProps): React.JSX.Element {
  const { reading, trans } = props;
  switch (reading.kind) {
    case 'hidden':
    case 'disconnected':
      return (
        <Note icon="struckPlug" title={trans.__('Not connected')}>
          {trans.__(
            'The kernel does not answer, so nothing is measured. If it died, its GPU memory is already free.'
          )}
        </Note>
      );
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
    case 'none':
      return <NoGpu {...props} />;
    case 'idle':
      return (
        <Note icon="info" title={trans.__('Idle — not initialised')}>
          {explainIdle(reading.isLoaded, trans)}{' '}
          {trans.__('The numbers appear with the first tensor on the GPU.')}
        </Note>
      );
    case 'stale':
      return <Stale {...props} reading={reading} />;
    default:
      return (
        <>
          <DeviceTitle device={reading.device} trans={trans} />
          <DeviceNumbers
            device={reading.device}
            level={reading.kind}
            trans={trans}
          />
        </>
      );
  }
}

function NoGpu({ hello, trans }: IPopupProps): React.JSX.Element {
  return (
    <Note icon="struckChip" title={trans.__('No GPU')}>
      {trans.__('This kernel sees no CUDA GPU.')}{' '}
      {hello?.installed &&
        trans.__(
          'To try GPU Headroom without one, run gpu_headroom.simulate().'
        )}
    </Note>
  );
}

function Stale(
  props: IPopupProps & { reading: Extract<Reading, { kind: 'stale' }> }
): React.JSX.Element {
  const { reading, isBusy, trans } = props;
  const { device, age_ms } = reading;
  const last = trans.__(
    'Last measured %1: %2 used, headroom %3.',
    formatAge(age_ms, trans),
    formatBytes(device.used_bytes ?? device.in_use_bytes),
    device.headroom_bytes === null
      ? trans.__('not measured')
      : formatBytes(device.headroom_bytes)
  );
  const why = isBusy
    ? trans.__(
        "The running cell holds Python's interpreter lock, so the kernel cannot be asked. This updates by itself."
      )
    : trans.__('The kernel does not answer. This updates by itself.');
  return (
    <>
      <DeviceTitle device={device} trans={trans} />
      <DeviceNumbers device={device} level={null} trans={trans} />
      <Hint icon="clock">{`${last} ${why}`}</Hint>
    </>
  );
}

function Note(
  props: React.PropsWithChildren<{ icon: IconName; title: string }>
): React.JSX.Element {
  return (
    <>
      <h2 className="jp-GpuHeadroom-headline">{props.title}</h2>
      <Hint icon={props.icon}>{props.children}</Hint>
    </>
  );
}

/** A sentence with its icon. */
export function Hint(
  props: React.PropsWithChildren<{ icon: IconName }>
): React.JSX.Element {
  return (
    <div className="jp-GpuHeadroom-hint">
      <Icon name={props.icon} />
      <p>{props.children}</p>
    </div>
  );
}
