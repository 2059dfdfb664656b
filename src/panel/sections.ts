import { DisposableSet } from '@lumino/disposable';

import { isBusy } from '../memory/model';
import { describeSafe } from '../release/words';
import { formatBytes } from '../text/format';
import { Devices } from './devices';
import { FreeableList } from './freeablelist';
import { HolderList } from './holderlist';
import type { IPanelSection, PanelModel } from './model';

import '../../style/sections.css';

export const DEVICES: IPanelSection = {
  id: 'devices',
  rank: 20,
  label: trans => trans.__('Devices'),
  total: ({ devices }) => String(devices.length),
  Body: Devices
};

export const HOLDERS: IPanelSection = {
  id: 'holders',
  rank: 50,
  minHeight: 200,
  label: trans => trans.__('What holds GPU memory'),
  total: totalHeld,
  follows: ({ holders }) => holders,
  look: ({ holders, session }) => {
    const looking = new DisposableSet();
    if (holders && session) {
      looking.add(holders.measurement.show());
      // The rows offer what can be freed.
      looking.add(session.checklist.plan.show());
    }
    return looking;
  },
  Body: HolderList
};

export const FREEABLE: IPanelSection = {
  id: 'freeable',
  rank: 60,
  // After an error, what can be freed matters more than the history.
  failedRank: 25,
  minHeight: 170,
  label: trans => trans.__('Can be freed'),
  total: ({ session }) => (session ? describeSafe(session.checklist) : ''),
  follows: ({ session }) => session,
  look: ({ session }) => session?.checklist.plan.show() ?? null,
  Body: FreeableList
};

/** The memory in use; while a cell runs, with the cell after which it was measured. */
function totalHeld({ current, held, holders, trans }: PanelModel): string {
  if (!held) {
    return '';
  }
  const size = formatBytes(held.in_use_bytes);
  const count = holders?.measurement.last?.execution_count ?? null;
  return current && isBusy(current.state) && count !== null
    ? trans.__('%1 after In [%2]', size, count)
    : size;
}
