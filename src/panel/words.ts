/**
 * The panel in words.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type {
  HolderKind,
  IHeld,
  IHeldDevice,
  IHeldPart,
  IHolders,
  IAllocationSite,
  IPart,
  PartKind
} from '../protocol';
import { formatBytes, formatPrompt } from '../text/format';
import { nameHolder } from '../text/names';
import { describeUnheld, namePart } from '../text/parts';
import { type IHolderRow, siteOf } from './rows';

/** Label of a kind on its chip. */
export function nameKind(
  kind: HolderKind | 'mixed',
  trans: TranslationBundle
): string {
  switch (kind) {
    case 'tensor':
      return trans.__('tensor');
    case 'mixed':
      return trans.__('mixed');
    default:
      return namePart(kind, trans);
  }
}

/** A cell as "In [4]"; empty if unknown. */
export function nameCell(site: IAllocationSite | null): string {
  const count = site?.execution_count ?? null;
  return count === null ? '' : formatPrompt(count);
}

/** A holder with the text of its row. */
export function toRow(held: IHeld, trans: TranslationBundle): IHolderRow {
  return {
    held,
    name: nameHolder(held, trans),
    kind: nameKind(held.kind, trans),
    made: nameCell(siteOf(held))
  };
}

/** Type and shape of a part: "float32 [10, 1024]"; empty if unknown. */
export function describeShape({ dtype, shape }: IHeldPart): string {
  return [dtype, shape && `[${shape.join(', ')}]`].filter(Boolean).join(' ');
}

/** Type and content of a holder: "list, 45 tensors". */
export function describeHolder(
  { count, type_name }: IHeld,
  trans: TranslationBundle
): string {
  const tensors = trans._n('%1 tensor', '%1 tensors', count);
  return type_name === null ? tensors : `${type_name}, ${tensors}`;
}

/** A bar in words: its size, and its share of what is in use. */
export function describeShare(
  bytes: number,
  total: number,
  trans: TranslationBundle
): string {
  const share = total > 0 ? Math.round((100 * bytes) / total) : 0;
  return trans.__('%1, %2% of the memory in use', formatBytes(bytes), share);
}

/** Parts of the sum that are listed even if they are zero. */
const ALWAYS: readonly PartKind[] = [
  'named',
  'graphs',
  'unnamed',
  'not_attributed'
];

/** Parts of the sum that are listed. */
export function partsTold({ parts }: IHeldDevice): IPart[] {
  return parts.filter(({ kind, bytes }) => bytes > 0 || ALWAYS.includes(kind));
}

/** All memory in use as one sum of its parts. */
export function describeSum(
  held: IHeldDevice,
  trans: TranslationBundle
): string {
  const sum = partsTold(held).map(({ kind, bytes }) => {
    const name = describeUnheld(kind, trans)?.label ?? namePart(kind, trans);
    return `${name} ${formatBytes(bytes)}`;
  });
  const total = formatBytes(held.in_use_bytes);
  return trans.__('%1 = %2 in use.', sum.join(' + '), total);
}

/** Time of the measurement: "as of In [6], 14:02:11". */
export function describeMoment(
  { execution_count, time_s }: IHolders,
  trans: TranslationBundle
): string {
  const date = new Date(time_s * 1000);
  // Not every number is a valid time.
  const time = Number.isNaN(date.getTime())
    ? trans.__('an unknown time')
    : date.toLocaleTimeString();
  const moment =
    execution_count === null
      ? time
      : `${formatPrompt(execution_count)}, ${time}`;
  return trans.__('As of %1.', moment);
}
