import type { PartKind } from '../protocol';
import { formatBytes } from './format';
import type { ITranslate } from './translate';

/** A part of the memory at a failure, or all parts together afterwards. */
export interface ISegment {
  readonly kind: PartKind | 'in_use';
  readonly name: string;
  readonly bytes: number;
}

/** More parts than there are kinds, in case a report was tampered with. */
const MAX_PARTS = 16;

/** The parts to show: nonempty ones. */
export function shown(parts: readonly ISegment[]): ISegment[] {
  return parts.slice(0, MAX_PARTS).filter(part => part.bytes > 0);
}

/** A part without its name. */
export type IPart = Omit<ISegment, 'name'>;

/** Use of memory, in words. */
export function namePart(kind: IPart['kind'], trans: ITranslate): string {
  switch (kind) {
    case 'outside':
      return trans.__('outside');
    case 'named':
      return trans.__('Named');
    case 'graphs':
      return trans.__('autograd graphs');
    case 'unnamed':
      return trans.__('no name');
    case 'parameters':
      return trans.__('parameters');
    case 'optimizer_state':
      return trans.__('optimizer state');
    case 'gradients':
      return trans.__('gradients');
    case 'activations':
      return trans.__('activations');
    case 'other_tensors':
      return trans.__('other tensors');
    case 'workspaces':
      return trans.__('library workspaces');
    case 'earlier_error':
      return trans.__('earlier error');
    case 'temporaries':
      return trans.__('temporary values');
    case 'not_attributed':
      return trans.__('not attributed');
    case 'in_use':
      return trans.__('in use');
    case 'cached':
      return trans.__('cached');
    case 'free':
      return trans.__('free');
  }
}

/**
 * Name of memory that no Python object retains, as in the panel; `null`: rows have it.
 */
export function describeUnheld(
  kind: PartKind,
  trans: ITranslate
): { label: string; hint: string } | null {
  switch (kind) {
    case 'workspaces':
      return {
        label: trans.__('workspaces of cuBLAS'),
        hint: trans.__(
          'Kept by cuBLAS for its next product of matrices; recognized by its size.'
        )
      };
    case 'not_attributed':
      return {
        label: namePart(kind, trans),
        hint: trans.__(
          'In use, but no Python name for it could be found. Usual cause: tensors held by C++ code.'
        )
      };
    default:
      return null;
  }
}

/** Parts of a bar with their names. */
export function named(parts: readonly IPart[], trans: ITranslate): ISegment[] {
  return parts.map(({ kind, bytes }) => ({
    kind,
    name: namePart(kind, trans),
    bytes
  }));
}

/** The parts in words: "outside 0.7 GiB, parameters 0.6 GiB". */
export function listParts(parts: readonly ISegment[]): string {
  return shown(parts)
    .map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`)
    .join(', ');
}
