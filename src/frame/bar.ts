import { formatBytes, GIB } from '../format';
import type { PartKind } from '../protocol';
import { element } from './element';
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

/** A part in words. */
export function nameSegment({ trans }: IWords, { kind }: ISegment): string {
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

/** `other_tensors` becomes `jp-mod-otherTensors`. */
function modifier({ kind }: ISegment): string {
  const camel = kind.replace(/_(.)/g, (_, letter: string) =>
    letter.toUpperCase()
  );
  return `jp-mod-${camel}`;
}

/**
 * The parts in words: "outside 0.7 GiB, parameters 0.6 GiB".
 */
export function listParts(words: IWords, parts: readonly ISegment[]): string {
  return shown(parts)
    .map(part => `${nameSegment(words, part)} ${formatBytes(part.bytes)}`)
    .join(', ');
}

/**
 * The stacked bar. Widths follow the bytes; numbers show where they have room.
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
      `jp-GpuHeadroomCard-segment ${modifier(part)}`,
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

function inBar(words: IWords, part: ISegment): HTMLElement[] {
  return [
    element(
      'span',
      'jp-GpuHeadroomCard-segmentName',
      `${nameSegment(words, part)} `
    ),
    element('span', 'jp-GpuHeadroomCard-segmentSize', bare(part.bytes))
  ];
}

/** The number alone; only where the unit stands beside the bar. */
function bare(bytes: number): string {
  return bytes < SMALLEST_IN_GIB ? '' : (bytes / GIB).toFixed(1);
}

/**
 * All numbers of the bar. The unit is said once where one unit fits all.
 */
export function legend(words: IWords, parts: readonly ISegment[]): HTMLElement {
  const visible = shown(parts);
  const oneUnit = visible.every(part => part.bytes >= SMALLEST_IN_GIB);
  const entries = visible.map(part =>
    element(
      'li',
      'jp-GpuHeadroomCard-legendEntry',
      element('span', `jp-GpuHeadroomCard-swatch ${modifier(part)}`),
      nameSegment(words, part),
      element(
        'strong',
        '',
        oneUnit ? bare(part.bytes) : formatBytes(part.bytes)
      )
    )
  );
  const unit = element('li', 'jp-GpuHeadroomCard-legendUnit', 'GiB');
  const list = element(
    'ul',
    'jp-GpuHeadroomCard-legend',
    ...entries,
    oneUnit && entries.length > 0 ? unit : null
  );
  list.setAttribute('role', 'list');
  return list;
}
