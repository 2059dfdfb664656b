import { formatBytes, GIB } from '../format';
import type { PartKind } from '../protocol';
import { element } from './element';
import type { ITranslate } from '../translate';
import type { IWords } from './state';

/** Below this a size is shown in MiB, and then every size carries its unit. */
const SMALLEST_IN_GIB = 0.1 * GIB;

/** A part of the moment of failure, or all of them together afterwards. */
export interface ISegment {
  readonly kind: PartKind | 'in_use';
  readonly bytes: number;
}

/** More parts than the model knows kinds: a report was tampered with. */
const MAX_PARTS = 12;

function shown(parts: readonly ISegment[]): ISegment[] {
  return parts.slice(0, MAX_PARTS).filter(part => part.bytes > 0);
}

/** What memory is used for, in words. */
export function namePart(kind: ISegment['kind'], trans: ITranslate): string {
  switch (kind) {
    case 'outside':
      return trans.__('outside');
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

/** The classes that give what stands for a kind of memory its colour. */
export function kindClass(kind: string): string {
  return `jp-GpuHeadroom-kind jp-mod-${kind.replace('_', '-')}`;
}

/**
 * The parts in words: "outside 0.7 GiB, parameters 0.6 GiB".
 */
export function listParts(
  { trans }: IWords,
  parts: readonly ISegment[]
): string {
  return shown(parts)
    .map(({ kind, bytes }) => `${namePart(kind, trans)} ${formatBytes(bytes)}`)
    .join(', ');
}

/**
 * The stacked bar. Widths follow the bytes; numbers show where they have room.
 *
 * @param words - for names and numbers in the bar; `null`: it has none
 */
export function bar(
  parts: readonly ISegment[],
  label: string,
  words: IWords | null
): HTMLElement {
  const visible = shown(parts);
  const total = visible.reduce((sum, part) => sum + part.bytes, 0);
  const segments = visible.map(part => {
    const segment = element(
      'span',
      `jp-GpuHeadroomCard-segment ${kindClass(part.kind)}`,
      ...(words ? inBar(words, part) : [])
    );
    segment.style.flexGrow = String(part.bytes / total);
    return segment;
  });
  const node = element('div', 'jp-GpuHeadroomCard-bar', ...segments);
  node.setAttribute('role', 'img');
  node.setAttribute('aria-label', label);
  return node;
}

function inBar({ trans }: IWords, { kind, bytes }: ISegment): HTMLElement[] {
  const name = `${namePart(kind, trans)} `;
  return [
    element('span', 'jp-GpuHeadroomCard-segmentName', name),
    element('span', 'jp-GpuHeadroomCard-segmentSize', bare(bytes))
  ];
}

/** The number alone; only where the unit stands beside the bar. */
function bare(bytes: number): string {
  return bytes < SMALLEST_IN_GIB ? '' : (bytes / GIB).toFixed(1);
}

/**
 * All numbers of the bar. The unit is said once where one unit fits all.
 */
export function legend(
  { trans }: IWords,
  parts: readonly ISegment[]
): HTMLElement {
  const visible = shown(parts);
  const oneUnit = visible.every(part => part.bytes >= SMALLEST_IN_GIB);
  const entries = visible.map(({ kind, bytes }) =>
    element(
      'li',
      'jp-GpuHeadroomCard-legendEntry',
      element('span', `jp-GpuHeadroom-swatch ${kindClass(kind)}`),
      namePart(kind, trans),
      element('strong', '', oneUnit ? bare(bytes) : formatBytes(bytes))
    )
  );
  if (oneUnit && entries.length > 0) {
    entries.push(element('li', 'jp-GpuHeadroomCard-legendUnit', 'GiB'));
  }
  const list = element('ul', 'jp-GpuHeadroomCard-legend', ...entries);
  list.setAttribute('role', 'list');
  return list;
}
