import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Hint } from '../components/hint';
import { formatBytes } from '../format';
import { ChecklistView } from './checklistview';
import type { Freeing } from './freeing';
import { Result } from './result';

interface IFreeingProps {
  freeing: Freeing;
  trans: TranslationBundle;
}

/**
 * Freeing in place of the popup's numbers: the choice, the wait, the result.
 */
export function FreeingView(props: IFreeingProps): React.JSX.Element | null {
  const { freeing, trans } = props;
  const { step } = freeing;
  switch (step.kind) {
    case 'closed':
      return null;
    case 'done':
      return (
        <section>
          <Result {...step} trans={trans} />
        </section>
      );
    case 'waiting':
      return (
        <section role="status">
          <Hint icon="clock">
            <strong>{trans.__('Freeing is queued.')}</strong>
          </Hint>
        </section>
      );
    default:
      return (
        <>
          <Head {...props} />
          <section>
            <ChecklistView
              checklist={freeing.checklist}
              onUndo={id => void freeing.undo([id])}
              trans={trans}
            />
          </section>
        </>
      );
  }
}

function Head({ freeing, trans }: IFreeingProps): React.JSX.Element {
  const devices = freeing.memory.state.sample?.devices ?? [];
  const [headroom = null] = devices.map(device => device.headroom_bytes);
  return (
    <section className="jp-GpuHeadroom-freeingHead">
      <button
        type="button"
        className="jp-GpuHeadroom-back"
        aria-label={trans.__('Back')}
        title={trans.__('Back')}
        onClick={() => {
          freeing.close();
        }}
      />
      <h2>{trans.__('Free memory')}</h2>
      {devices.length === 1 && headroom !== null && (
        <span className="jp-GpuHeadroom-notice">
          {trans.__('headroom now %1', formatBytes(headroom))}
        </span>
      )}
    </section>
  );
}
