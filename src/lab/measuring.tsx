import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Button } from '../components/button';
import { Hint } from '../components/hint';
import { Sentence } from '../components/sentence';
import type { Measurement } from '../kernel/measurement';
import type { IMessage } from '../protocol';
import { words } from '../text/messages';
import { Wait } from './wait';

/** That something is measured: for how long, and how to end it. */
export function Measuring(props: {
  /** What is measured: a sentence that goes on. */
  label: string;
  measurement: Measurement<'holders'> | Measurement<'plan'>;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { label, measurement, trans } = props;
  const { task } = measurement;
  const elapsed_s = task?.elapsed_s ?? null;
  return (
    <Wait
      label={label}
      elapsed_s={elapsed_s}
      onCancel={elapsed_s === null ? null : () => void task?.cancel()}
      trans={trans}
    />
  );
}

/** Why not all was measured, and the way to have it measured. */
export function Gap(props: {
  message: IMessage;
  onMeasure: () => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { message, onMeasure, trans } = props;
  return (
    <div className="jp-GpuHeadroom-gap">
      <Hint icon="clock">
        <Sentence text={words(trans).sentence(message)} />
      </Hint>
      <Button label={trans.__('Measure all')} onPress={onMeasure} />
    </div>
  );
}
