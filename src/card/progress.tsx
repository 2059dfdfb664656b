import * as React from 'react';

import { CodeBlock } from '../components/code';
import { Icon, type IconName } from '../components/icon';
import { Sentence } from '../components/sentence';
import type { IRemedy } from '../protocol';
import { CardButtons } from './cardbuttons';
import { type IContext, type RemedyState, stateOf } from './state';

const ICONS: Record<
  Exclude<RemedyState['status'], 'begun' | 'ready'>,
  IconName
> = {
  running: 'clock',
  waiting: 'clock',
  applied: 'check',
  inserted: 'check',
  refused: 'info',
  cancelled: 'info',
  changed: 'triangle',
  failed: 'triangle'
};

/**
 * What became of the press of a button; nothing while the remedy is ready.
 */
export function Progress(
  props: IContext & { remedy: IRemedy }
): React.JSX.Element | null {
  const { offers, remedy, state: card, trans } = props;
  const state = stateOf(props, remedy.id);
  if (state.status === 'ready' || state.status === 'begun' || !state.text) {
    return null;
  }
  const cancel = {
    label: trans.__('Cancel'),
    action: 'cancel',
    remedyId: remedy.id
  } as const;
  return (
    <div className="jp-GpuHeadroomCard-progress">
      <Icon name={ICONS[state.status]} />
      <span>
        <Sentence text={state.text} />
      </span>
      {card.trust === 'confirmed' &&
        (state.status === 'refused' ? (
          <CodeBlock code={state.code} isRefused />
        ) : (
          <CardButtons
            {...props}
            buttons={
              state.status === 'waiting' ||
              (state.status === 'running' && state.canStop)
                ? [cancel]
                : offers.offersOf(props, remedy).followUps
            }
          />
        ))}
    </div>
  );
}
