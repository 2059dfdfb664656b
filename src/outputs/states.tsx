import * as React from 'react';

import { Button } from '../components/button';
import { Hint } from '../components/hint';
import type { IconName } from '../components/icon';
import { Sentence } from '../components/sentence';
import { fillingIn } from '../memory/level';
import type { IMemoryState } from '../memory/state';
import { formatFull } from '../memory/timelinewords';
import type { Connection } from './connection';
import { trans } from './translation';

/** Notices of a gauge, each with a button for what can be done about it. */
export function States({
  connection,
  state
}: {
  connection: Connection;
  state: IMemoryState;
}): React.JSX.Element {
  const { link } = connection;
  const goOn = (label: string): React.JSX.Element => (
    <Button
      label={label}
      onPress={() => {
        connection.resume();
      }}
    />
  );
  if (link === 'lost' || link === 'restarted') {
    return (
      <State
        icon="triangle"
        text={
          link === 'lost'
            ? trans.__(
                'Not connected: the kernel does not answer. These are its last numbers.'
              )
            : trans.__('The kernel was restarted: run this cell again.')
        }
      >
        {goOn(trans.__('Try again'))}
      </State>
    );
  }
  const trend = fillingIn(state);
  return (
    <>
      {trend && (
        <State
          icon="triangle"
          text={trans.__(
            'At this rate it is %1.',
            formatFull(trend.full_in_s ?? 0, trans)
          )}
        />
      )}
      {state.warning && (
        <State icon="triangle" text={state.warning.message.text} />
      )}
      {link === 'paused' && (
        <State
          icon="clock"
          text={trans.__('Paused: no cell ran for ten minutes.')}
        >
          {goOn(trans.__('Continue'))}
        </State>
      )}
    </>
  );
}

/** A notice, with a button if something can be done. */
function State(
  props: React.PropsWithChildren<{ icon: IconName; text: string }>
): React.JSX.Element {
  const { icon, text, children } = props;
  return (
    <div className="jp-GpuHeadroomLive-state">
      <Hint icon={icon} isSpoken>
        <Sentence text={text} />
      </Hint>
      {children}
    </div>
  );
}
