import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { nameSpan } from '../memory/timelinewords';

interface IPickerProps {
  isWhole: boolean;
  onChange: (isWhole: boolean) => void;
  trans: TranslationBundle;
}

/**
 * How much of the session is shown: all of it, or its last minutes.
 */
export function SpanPicker(props: IPickerProps): React.JSX.Element {
  const { isWhole, onChange, trans } = props;
  return (
    <select
      className="jp-GpuHeadroom-span"
      aria-label={trans.__('Time shown')}
      value={String(isWhole)}
      onChange={({ target: { value } }) => {
        onChange(value === 'true');
      }}
    >
      {[true, false].map(each => (
        <option key={String(each)} value={String(each)}>
          {nameSpan(each, trans)}
        </option>
      ))}
    </select>
  );
}
