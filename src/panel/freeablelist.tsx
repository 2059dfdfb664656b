import * as React from 'react';

import { cancelQueued, queuedIn, startsWhen } from '../actions/queue';
import { Button } from '../components/button';
import { Hint } from '../components/hint';
import { explainIdle } from '../components/words';
import { ChecklistView } from '../freeing/checklistview';
import { describeOutlook, nameFree, nameRunning } from '../freeing/words';
import type { Freeables } from './freeables';
import type { PanelModel } from './model';

/**
 * What can be freed, and the buttons that free it.
 */
export function FreeableList(props: {
  model: PanelModel;
}): React.JSX.Element | null {
  const { model } = props;
  const { current, freeables, trans } = model;
  const sample = current?.state.sample;
  if (!current || !freeables || !sample) {
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
        checklist={freeables.checklist}
        onUndo={id => void freeables.restore(id)}
        trans={trans}
      />
      {queuedIn(current.state).length > 0 ? (
        <Queued model={model} />
      ) : (
        <Choice freeables={freeables} model={model} />
      )}
    </>
  );
}

function Queued({ model }: { model: PanelModel }): React.JSX.Element | null {
  const { current, trans } = model;
  return (
    current && (
      <>
        <Hint icon="clock">
          <strong>{trans.__('Freeing is queued.')}</strong>{' '}
          {startsWhen(current.state, trans)}
        </Hint>
        <div className="jp-GpuHeadroom-actions">
          <Button
            label={trans.__('Cancel freeing')}
            onPress={() => void cancelQueued(current)}
          />
        </div>
      </>
    )
  );
}

function Choice(props: {
  freeables: Freeables;
  model: PanelModel;
}): React.JSX.Element | null {
  const { freeables, model } = props;
  const { checklist, insertCell, isFreeing } = freeables;
  const { current, devices, trans } = model;
  const { chosen, gain } = checklist;
  const running = current && nameRunning(current.state, trans);
  if (!checklist.items?.length) {
    return null;
  }
  return (
    <>
      <div className="jp-GpuHeadroom-actions">
        <Button
          label={isFreeing ? trans.__('Freeing…') : nameFree(gain, trans)}
          isPrimary
          isEnabled={!isFreeing && chosen.length > 0}
          onPress={() => void freeables.free(chosen)}
        />
        {insertCell && chosen.length > 0 && (
          <Button
            label={trans.__('Insert as cell')}
            onPress={() => {
              insertCell(chosen);
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
