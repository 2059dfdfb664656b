import * as React from 'react';

import { CodeBlock } from '../components/code';
import { Icon, type IconName } from '../components/icon';
import { Sentence } from '../components/sentence';
import type { IRemedy } from '../protocol';
import { ReportButtons } from './reportbuttons';
import { type IContext, type RemedyState, stateOf } from './state';

const ICONS: Record<
  Exclude<RemedyState['status'], 'begun' | 'ready'>,
  IconName
> = {
  running: 'clock',
  waiting: 'clock',
  applied: 'check',
  inserted: 'check',
  copied: 'check',
  refused: 'info',
  cancelled: 'info',
  changed: 'triangle',
  failed: 'triangle'
};

/**
 * Progress or result of a button press; empty while the remedy is ready.
 *
 * The status element is in the page before its text, so that screen readers announce
 * it.
 */
export function Progress(
  props: IContext & { remedy: IRemedy }
): React.JSX.Element {
  const { offers, remedy, state: report, trans } = props;
  const state = stateOf(props, remedy.id);
  const shown = 'text' in state && state.text ? state : null;
  const cancel = {
    label: trans.__('Cancel'),
    action: 'cancel',
    remedyId: remedy.id
  } as const;
  return (
    <div className={shown ? 'jp-GpuHeadroomReport-progress' : undefined}>
      {shown && <Icon name={ICONS[shown.status]} />}
      <span role="status">{shown && <Sentence text={shown.text} />}</span>
      {shown &&
        report.trust === 'confirmed' &&
        (shown.status === 'refused' ? (
          <CodeBlock code={shown.code} isRefused />
        ) : (
          <ReportButtons
            {...props}
            buttons={
              shown.status === 'waiting' ||
              (shown.status === 'running' && shown.canStop)
                ? [cancel]
                : offers.offersOf(props, remedy).followUps
            }
          />
        ))}
    </div>
  );
}
