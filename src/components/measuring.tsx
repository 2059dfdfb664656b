import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Measurement } from '../kernel/measurement';
import type { IMessage } from '../protocol';
import { words } from '../text/messages';
import { Button } from './button';
import { Hint } from './hint';
import { Sentence } from './sentence';

/** That something is measured: for how long, and how to end it. */
export function Measuring(props: {
  /** What is measured: a sentence that goes on. */
  label: string;
  measurement: Measurement<'holders'> | Measurement<'plan'>;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { label, measurement, trans } = props;
  const { elapsed_s } = measurement;
  return (
    <div className="jp-GpuHeadroom-measuring">
      <p className="jp-GpuHeadroom-notice" role="status">
        {label}
      </p>
      {elapsed_s !== null && (
        <>
          <span className="jp-GpuHeadroom-notice">
            {trans.__('%1 s', elapsed_s)}
          </span>
          <Button
            label={trans.__('Cancel')}
            onPress={() => void measurement.cancel()}
          />
        </>
      )}
    </div>
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
