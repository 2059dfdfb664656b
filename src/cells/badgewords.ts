/** Texts of the badge of a cell. */
import type { TranslationBundle } from '@jupyterlab/translation';

import { describeRange, formatRange, needIn, peakIn } from '../memory/peak';
import type { IShortage } from '../memory/shortage';
import { sizesOf } from '../memory/shortagewords';
import type { ICellMemory, IGrowth, IOom } from '../protocol';
import { formatBytes, MIB } from '../text/format';
import type { IBadge } from './badge';

/** A badge's text: the first part is emphasized. */
export interface IBadgeText {
  readonly strong: string;
  readonly rest: string;
}

/**
 * The text of a badge: "+1.2 GiB · peak 8.1 GiB", and if the work was sent to workers,
 * "workers +11.2 GiB".
 *
 * @param oom - the failure of this cell, if known
 */
export function textOf(
  badge: IBadge,
  oom: IOom | null,
  trans: TranslationBundle
): IBadgeText {
  const { memory, workers_bytes } = badge;
  const workers =
    workers_bytes > 0 ? trans.__('workers %1', signed(workers_bytes)) : '';
  if (!memory) {
    return { strong: workers, rest: '' };
  }
  const { rest, strong } = ownOf(badge, memory, oom, trans);
  return { strong, rest: [rest, workers].filter(Boolean).join(' · ') };
}

/**
 * The quiet line before a run: "last time this cell needed 14.0 GiB, headroom is 8.4 GiB".
 */
export function warnOf(shortage: IShortage, trans: TranslationBundle): string {
  const [needed, headroom] = sizesOf(shortage, trans);
  return trans.__(
    'last time this cell needed %1, headroom is %2',
    needed,
    headroom
  );
}

/**
 * Number of out-of-memory errors that a cell caught; the last one of a cell that failed
 * has its report.
 */
function caughtIn({ kind }: IBadge, { ooms }: ICellMemory): number {
  return Math.max(0, (ooms ?? 0) - (kind === 'oom' ? 1 : 0));
}

/** Effect on the memory of the kernel. */
function ownOf(
  badge: IBadge,
  memory: ICellMemory,
  oom: IOom | null,
  trans: TranslationBundle
): IBadgeText {
  const { cell } = badge;
  const caught = caughtIn(badge, memory);
  const peak = [
    peakOf(memory, trans),
    caught ? trans.__('out-of-memory errors caught: %1', caught) : ''
  ]
    .filter(Boolean)
    .join(' · ');
  switch (badge.kind) {
    case 'running':
      return {
        strong: trans.__('%1 so far', signed(memory.change_bytes ?? 0)),
        rest: trans.__('running, %1', peak)
      };
    case 'oom':
      return {
        strong: trans.__('out of GPU memory'),
        rest: [missingOf(oom, trans), peak].filter(Boolean).join(' · ')
      };
    case 'grows':
    case 'change':
      return cell.growth
        ? { strong: '', rest: growthOf(cell.growth, trans) }
        : { strong: changeOf(badge, memory, trans), rest: peak };
  }
}

/** One row of the details. */
export type Row = readonly [label: string, value: string];

/** The details of a badge, row by row; unknown values have no row. */
export function rowsOf(badge: IBadge, trans: TranslationBundle): Row[] {
  const { memory, workers_bytes } = badge;
  const workers: Row[] =
    workers_bytes > 0
      ? [[trans.__('Peak of its workers'), signed(workers_bytes)]]
      : [];
  return memory ? [...ownRows(badge, memory, trans), ...workers] : workers;
}

function ownRows(
  badge: IBadge,
  memory: ICellMemory,
  trans: TranslationBundle
): Row[] {
  const { cell, changes } = badge;
  const keeper = cell.growth?.holder ?? null;
  const { change_bytes, alloc_retries } = memory;
  const caught = caughtIn(badge, memory);
  const [peak, needed] = [peakIn(memory), needIn(memory)];
  const rows: (Row | null)[] = [
    badge.hasSeveral
      ? [trans.__('Device'), trans.__('GPU %1', memory.device_index)]
      : null,
    change_bytes === null
      ? null
      : [trans.__('Change in tensors'), signed(change_bytes)],
    peak && [trans.__('Peak while running'), formatRange(peak, trans)],
    needed && [trans.__('Needed on top'), formatRange(needed, trans)],
    keeper ? [trans.__('Kept by'), keeper] : null,
    changes.length > 1
      ? [
          trans.__('Last %1 runs', changes.length),
          changes.map(signed).join(', ')
        ]
      : null,
    caught ? [trans.__('Errors that the cell caught'), String(caught)] : null,
    alloc_retries
      ? [trans.__('Cache emptied to make room'), String(alloc_retries)]
      : null
  ];
  return rows.filter(row => row !== null);
}

function changeOf(
  { hasSeveral }: IBadge,
  memory: ICellMemory,
  trans: TranslationBundle
): string {
  const change = memory.change_bytes;
  const size =
    change === null
      ? trans.__('change not measured')
      : Math.abs(change) < MIB
        ? trans.__('no change')
        : signed(change);
  return hasSeveral ? trans.__('GPU %1: %2', memory.device_index, size) : size;
}

function peakOf(memory: ICellMemory, trans: TranslationBundle): string {
  const peak = peakIn(memory);
  return peak ? describeRange(peak, trans) : trans.__('peak not measured');
}

function growthOf(growth: IGrowth, trans: TranslationBundle): string {
  const grew = trans.__(
    'grew %1 on each of the last %2 runs',
    formatBytes(growth.bytes_per_run),
    growth.runs
  );
  return growth.holder
    ? trans.__('%1 — %2 is kept alive', grew, growth.holder)
    : grew;
}

function missingOf(oom: IOom | null, trans: TranslationBundle): string {
  const requested = oom?.requested_bytes ?? null;
  return requested === null
    ? ''
    : trans.__('needed %1 more', formatBytes(requested, 2));
}

function signed(bytes: number): string {
  return bytes > 0 ? `+${formatBytes(bytes)}` : formatBytes(bytes);
}
