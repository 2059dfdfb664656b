import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Button } from '../components/button';
import { Hint } from '../components/hint';
import { ChecklistView } from '../release/checklistview';
import { cancelQueued, queuedIn, startsWhen } from '../release/queue';
import type { ReleaseSession } from '../release/session';
import { describeOutlook, nameFree, nameRunning } from '../release/words';
import { explainIdle } from '../text/names';
import type { IKernelMemory } from '../tokens';
import type { IPanelProps } from './model';

/** Checklist of what can be freed, with the buttons that free it. */
export function FreeableList({ model }: IPanelProps): React.JSX.Element | null {
  const { current, session, trans } = model;
  const sample = current?.state.sample;
  if (!current || !session || !sample) {
    return null;
  }
  if (sample.state !== 'live') {
    return (
      <Hint icon="info">
        {explainIdle(sample.state === 'not_initialised', trans)}
      </Hint>
    );
  }
  return (
    <>
      <ChecklistView
        checklist={session.checklist}
        onUndo={id => session.undo([id])}
        trans={trans}
      />
      {queuedIn(current.state).length > 0 ? (
        <Queued memory={current} trans={trans} />
      ) : (
        <Choice session={session} model={model} />
      )}
    </>
  );
}

function Queued(props: {
  memory: IKernelMemory;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { memory, trans } = props;
  return (
    <>
      <Hint icon="clock">
        <strong>{trans.__('Freeing is queued.')}</strong>{' '}
        {startsWhen(memory.state, trans)}
      </Hint>
      <div className="jp-GpuHeadroom-actions">
        <Button
          label={trans.__('Cancel freeing')}
          onPress={() => void cancelQueued(memory)}
        />
      </div>
    </>
  );
}

function Choice({
  model,
  session
}: IPanelProps & { session: ReleaseSession }): React.JSX.Element | null {
  const { checklist, isFreeing, memory } = session;
  const { devices, insertCell, trans } = model;
  const { chosen, gain } = checklist;
  const running = nameRunning(memory.state, trans);
  const isPossible = !isFreeing && chosen.length > 0;
  if (checklist.items === null && running) {
    // The safe set, since nothing was measured before the cell.
    const all = { items: null, confirmed: [], report_id: null };
    return (
      <div className="jp-GpuHeadroom-actions">
        <Button
          label={trans.__('Free when it finishes')}
          isPrimary
          onPress={isFreeing ? null : () => void session.notify(all)}
        />
      </div>
    );
  }
  if (!checklist.items?.length) {
    return null;
  }
  return (
    <>
      <div className="jp-GpuHeadroom-actions">
        <Button
          label={nameFree(gain, trans)}
          isPrimary
          onPress={isPossible ? () => void session.free(chosen) : null}
        />
        {insertCell && chosen.length > 0 && (
          <Button
            label={trans.__('Insert as cell')}
            onPress={() => {
              insertCell(memory, chosen);
            }}
          />
        )}
        <span className="jp-GpuHeadroom-notice">
          {describeOutlook(gain, devices, trans)}
        </span>
      </div>
      {running && (
        <p className="jp-GpuHeadroom-notice">
          {trans.__('%1 Freeing starts when it finishes.', running)}
        </p>
      )}
    </>
  );
}
