import * as React from 'react';

import type { IPanelSection, PanelModel } from '../panel/model';
import { formatBytes } from '../text/format';
import { type DryRun, dryRunOf } from './dryrun';
import { FitsOn } from './section';

import '../../style/dryrun.css';

/** GPU needs of the notebook, once a dry run was requested. */
export const FITS_ON: IPanelSection = {
  id: 'fits-on',
  rank: 10,
  label: trans => trans.__('Fits on'),
  total: model => {
    const needed = dryRunIn(model)?.step?.found?.needed_bytes;
    return needed
      ? model.trans.__('needs %1, simulated', formatBytes(needed))
      : '';
  },
  isShown: model => dryRunIn(model)?.isShown ?? false,
  follows: dryRunIn,
  Body: ({ model }) => {
    const dryRun = dryRunIn(model);
    return dryRun && <FitsOn dryRun={dryRun} trans={model.trans} />;
  }
};

function dryRunIn({ current }: PanelModel): DryRun | null {
  return current && dryRunOf(current);
}
