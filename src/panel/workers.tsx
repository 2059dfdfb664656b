import * as React from 'react';

import { WorkersSection } from '../workers/section';
import type { IPanelProps } from './model';

/** The processes that the notebook sends its work to. */
export function WorkersList({ model }: IPanelProps): React.JSX.Element | null {
  const { isStale, mayMeasure, trans, workers } = model;
  return (
    workers && <WorkersSection {...{ isStale, mayMeasure, trans, workers }} />
  );
}
