/** Texts of releases. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IGain } from '../memory/items';
import { isBusy } from '../memory/model';
import type { IMemoryState } from '../memory/state';
import type { IDevice, IItem } from '../protocol';
import { formatBytes, formatPair } from '../text/format';
import type { Checklist } from './checklist';

/** Items that delete names. */
const DELETING: readonly string[] = ['variable', 'leftover'];

/** Label of the button that frees a selection, which states the result. */
export function nameFree(
  { freed_bytes, returned_bytes }: IGain,
  trans: TranslationBundle
): string {
  if (freed_bytes > 0) {
    return trans.__('Free selected (%1)', formatBytes(freed_bytes));
  }
  return returned_bytes > 0
    ? trans.__('Return %1 to the GPU', formatBytes(returned_bytes))
    : trans.__('Free selected');
}

/** Label of the button that agrees to the costs of items. */
export function nameConsent(
  items: readonly IItem[],
  trans: TranslationBundle
): string {
  if (items.every(({ kind }) => kind === 'offload')) {
    return trans.__('Move to CPU');
  }
  const names = items.flatMap(item => item.names);
  if (!items.every(({ kind }) => DELETING.includes(kind))) {
    return trans.__('Free');
  }
  return names.length === 1 && names[0]
    ? trans.__('Delete %1', names[0])
    : trans.__('Delete %1 names', names.length);
}

/**
 * The headroom before and after: "headroom 3.3 → 16.3 GiB"; empty if it would not
 * change or is unknown. Items are measured over all devices together.
 */
export function describeOutlook(
  gain: IGain,
  devices: readonly IDevice[],
  trans: TranslationBundle
): string {
  const after = headroomAfter(gain, devices);
  const before = devices[0]?.headroom_bytes ?? null;
  return after === null || before === null || after === before
    ? ''
    : trans.__('headroom %1', formatPair(before, after, ' → '));
}

function headroomAfter(
  { freed_bytes }: IGain,
  devices: readonly IDevice[]
): number | null {
  const [device] = devices;
  const headroom_bytes = device?.headroom_bytes ?? null;
  if (!device || devices.length !== 1 || headroom_bytes === null) {
    return null;
  }
  // No more than all that is in use can be freed.
  return headroom_bytes + Math.min(freed_bytes, device.in_use_bytes);
}

/**
 * Memory that can be freed without loss, unused cache included; empty: unknown, or
 * freeing is not possible.
 */
export function describeSafe(checklist: Checklist): string {
  const { items, obstacle } = checklist;
  if (!items || obstacle) {
    return '';
  }
  const { freed_bytes, returned_bytes } = checklist.gainOf(
    items.filter(({ blocked, safe }) => safe && blocked === null)
  );
  return formatBytes(freed_bytes + returned_bytes);
}

/** "In [7] is running."; empty while none is. */
export function nameRunning(
  state: IMemoryState,
  trans: TranslationBundle
): string {
  if (!isBusy(state)) {
    return '';
  }
  const count = state.cell?.execution_count ?? null;
  return count === null
    ? trans.__('A cell is running.')
    : trans.__('In [%1] is running.', count);
}
