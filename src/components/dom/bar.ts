import { formatBytes, GIB } from '../../text/format';
import { type ISegment, shown } from '../../text/parts';
import { element } from './element';

/** Below this a size is shown in MiB, and then every size carries its unit. */
const SMALLEST_IN_GIB = 0.1 * GIB;

/** The classes that give what stands for a kind of memory its colour. */
export function kindClass(kind: string): string {
  return `jp-GpuHeadroom-kind jp-mod-${kind.replace('_', '-')}`;
}

/**
 * The stacked bar. Widths follow the bytes; numbers show where they have room.
 *
 * @param hasWords - whether names and numbers stand in the bar
 */
export function bar(
  parts: readonly ISegment[],
  label: string,
  hasWords: boolean
): HTMLElement {
  const visible = shown(parts);
  const total = visible.reduce((sum, part) => sum + part.bytes, 0);
  const segments = visible.map(part => {
    const segment = element(
      'span',
      `jp-GpuHeadroomCard-segment ${kindClass(part.kind)}`,
      ...(hasWords ? inBar(part) : [])
    );
    segment.style.flexGrow = String(part.bytes / total);
    return segment;
  });
  const node = element('div', 'jp-GpuHeadroomCard-bar', ...segments);
  node.setAttribute('role', 'img');
  node.setAttribute('aria-label', label);
  return node;
}

function inBar({ name, bytes }: ISegment): HTMLElement[] {
  return [
    element('span', 'jp-GpuHeadroomCard-segmentName', `${name} `),
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
export function legend(parts: readonly ISegment[]): HTMLElement {
  const visible = shown(parts);
  const oneUnit = visible.every(part => part.bytes >= SMALLEST_IN_GIB);
  const entries = visible.map(({ kind, name, bytes }) =>
    element(
      'li',
      'jp-GpuHeadroomCard-legendEntry',
      element('span', `jp-GpuHeadroom-swatch ${kindClass(kind)}`),
      name,
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
