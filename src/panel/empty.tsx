import * as React from 'react';

import { Button } from '../components/button';
import { Gap } from '../components/gap';
import { gapOf } from '../memory/gap';
import { NO_MEMO, readGauge } from '../memory/reading';
import type { IPanelProps } from './model';

/**
 * Why there is nothing to show; nothing where there is something.
 */
export function Empty({ model }: IPanelProps): React.JSX.Element | null {
  const { current, devices, trans } = model;
  const state = current?.state ?? null;
  const gap = gapOf(
    state ? readGauge(state, NO_MEMO, Date.now()) : { kind: 'hidden' },
    state,
    trans
  );
  if (devices.length > 0 || gap === null) {
    return null;
  }
  return (
    <div className="jp-GpuHeadroom-panelEmpty">
      <Gap gap={gap} isInline trans={trans}>
        {gap.start !== null && (
          <Button label={gap.start} onPress={() => void current?.start()} />
        )}
      </Gap>
    </div>
  );
}
