import * as React from 'react';

import type { IPanelSection, PanelModel } from '../panel/model';
import type { Settings } from '../settings';
import { formatBytes } from '../text/format';
import { WorkersSection } from './section';
import { type Workers, workersOf } from './workers';

import '../../style/workers.css';

/** The processes that the notebook sends its work to, as a section of the panel. */
export function workersSection(settings: Settings): IPanelSection {
  return {
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
    Body: ({ model }) => {
      const { isStale, trans } = model;
      const workers = workersIn(model);
      const mayMeasure = settings.current.measureWorkers === 'ask';
      return (
        workers && (
          <WorkersSection {...{ isStale, mayMeasure, trans, workers }} />
        )
      );
    }
  };
}

function workersIn({ current }: PanelModel): Workers | null {
  return current && workersOf(current);
}
