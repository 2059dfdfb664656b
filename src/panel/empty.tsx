import * as React from 'react';

import { Button } from '../components/button';
import { Hint } from '../components/hint';
import { explainIdle } from '../text/names';
import type { IKernelMemory } from '../tokens';
import type { IPanelProps } from './model';

/** What to run; the same in every language. */
const SIMULATE = 'gpu_headroom.simulate()';

/**
 * Why there is nothing to show; nothing where there is something.
 */
export function Empty({ model }: IPanelProps): React.JSX.Element | null {
  const { current, devices, trans } = model;
  if (devices.length > 0) {
    return null;
  }
  switch (current?.state.phase) {
    case undefined:
    case 'absent':
      return (
        <Note icon="info" title={trans.__('Nothing to measure.')}>
          {trans.__('Open a notebook or a console with a Python kernel.')}
        </Note>
      );
    case 'connecting':
    case 'starting':
      return (
        <Note icon="clock" title={trans.__('Connecting…')}>
          {trans.__('The numbers come with the first answer of the kernel.')}
        </Note>
      );
    case 'disconnected':
      return (
        <Note icon="struckPlug" title={trans.__('Not connected.')}>
          {trans.__(
            'The kernel does not answer, so nothing is measured. If it died, its GPU memory is already free.'
          )}
        </Note>
      );
    case 'off':
      return (
        <Note icon="info" title={trans.__('Off.')}>
          {trans.__('GPU Headroom is not running in this kernel.')}{' '}
          {current.state.offReason === 'click' && (
            <Start memory={current} label={trans.__('Start')} />
          )}
        </Note>
      );
    case 'foreign':
    case 'incompatible':
    case 'failed':
      return (
        <Note icon="struckPlug" title={trans.__('Not measured.')}>
          {current.state.problem}{' '}
          {current.state.phase === 'failed' && (
            <Start memory={current} label={trans.__('Try again')} />
          )}
        </Note>
      );
    case 'live':
      return <Idle model={model} />;
  }
}

function Note(
  props: React.PropsWithChildren<{
    icon: React.ComponentProps<typeof Hint>['icon'];
    title: string;
  }>
): React.JSX.Element {
  return (
    <div className="jp-GpuHeadroom-panelEmpty">
      <Hint icon={props.icon}>
        <strong>{props.title}</strong> {props.children}
      </Hint>
    </div>
  );
}

function Start(props: {
  memory: IKernelMemory;
  label: string;
}): React.JSX.Element {
  const { memory, label } = props;
  return <Button label={label} onPress={() => void memory.start()} />;
}

function Idle({ model }: IPanelProps): React.JSX.Element {
  const { current, trans } = model;
  const state = current?.state.sample?.state;
  if (state === 'no_gpu') {
    return (
      <Note icon="struckChip" title={trans.__('No GPU.')}>
        {trans.__('The kernel sees no GPU.')}{' '}
        {current?.state.hello?.installed && (
          <>
            {trans.__('To try the panel without one, run')}{' '}
            <code>{SIMULATE}</code>
          </>
        )}
      </Note>
    );
  }
  return (
    <Note icon="info" title={trans.__('Nothing on the GPU yet.')}>
      {explainIdle(state === 'not_initialised', trans)}{' '}
      {trans.__('The panel fills in after the first tensor on the GPU.')}
    </Note>
  );
}
