import * as React from 'react';

import { formatBytes } from '../text/format';
import { WorkersSection } from '../workers/section';
import { type Workers, workersOf } from '../workers/workers';
import type { IPanelSection, PanelModel } from './model';

/** The processes that the notebook sends its work to. */
export const WORKERS: IPanelSection = {
  id: 'workers',
  rank: 30,
  label: trans => trans.__('Workers'),
  total: ({ current }) => {
    const workers = current?.state.sample?.workers;
    return workers?.fullest ? formatBytes(workers.in_use_bytes) : '';
  },
  isShown: ({ current }) => Boolean(current?.state.sample?.workers),
  follows: workersIn,
  look: model => workersIn(model)?.show() ?? null,
  recorded: model => workersIn(model)?.recorded ?? null,
  Body: ({ model }) => {
    const { isStale, mayMeasure, trans } = model;
    const workers = workersIn(model);
    return (
      workers && <WorkersSection {...{ isStale, mayMeasure, trans, workers }} />
    );
  }
};

function workersIn({ current }: PanelModel): Workers | null {
  return current && workersOf(current);
}
