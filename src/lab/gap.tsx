import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Button } from '../components/button';
import { Hint } from '../components/hint';
import { Sentence } from '../components/sentence';
import type { IMessage } from '../protocol';
import { words } from '../text/messages';

/** Why the measurement is incomplete, and a button to complete it. */
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
