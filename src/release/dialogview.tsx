import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Hint } from '../components/hint';
import { Result } from '../components/result';
import { nameStopping } from '../lab/notice';
import { formatBytes } from '../text/format';
import { ChecklistView } from './checklistview';
import type { ReleaseDialog } from './dialog';

interface IDialogProps {
  dialog: ReleaseDialog;
  trans: TranslationBundle;
}

/**
 * Freeing in place of the popup's numbers: the choice, the wait, the result.
 */
export function DialogView(props: IDialogProps): React.JSX.Element | null {
  const { dialog, trans } = props;
  const { step } = dialog;
  switch (step.kind) {
    case 'closed':
      return null;
    case 'done':
      return (
        <section>
          <Result {...step} trans={trans} />
        </section>
      );
    case 'going':
    case 'stopping':
    case 'waiting':
      return (
        <section role="status">
          <Hint icon="clock">
            <strong>{nameStep(step.kind, trans)}</strong>
          </Hint>
        </section>
      );
    default:
      return (
        <>
          <Head {...props} />
          <section>
            <ChecklistView
              checklist={dialog.session.checklist}
              onUndo={id => dialog.undo([id])}
              trans={trans}
            />
          </section>
        </>
      );
  }
}

function nameStep(
  step: 'going' | 'stopping' | 'waiting',
  trans: TranslationBundle
): string {
  switch (step) {
    case 'going':
      return trans.__('Freeing GPU memory…');
    case 'stopping':
      return nameStopping(trans);
    case 'waiting':
      return trans.__('Freeing is queued.');
  }
}

function Head({ dialog, trans }: IDialogProps): React.JSX.Element {
  const devices = dialog.session.memory.state.sample?.devices ?? [];
  const [headroom = null] = devices.map(device => device.headroom_bytes);
  return (
    <section className="jp-GpuHeadroom-freeingHead">
      <button
        type="button"
        className="jp-GpuHeadroom-iconButton jp-GpuHeadroom-back"
        aria-label={trans.__('Back')}
        title={trans.__('Back')}
        onClick={() => {
          dialog.close();
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
