import { bar, legend } from '../components/dom/bar';
import { element, inline } from '../components/dom/element';
import { icon } from '../components/dom/icon';
import type { IDevice } from '../protocol';
import { formatBytes, formatPair } from '../text/format';
import { nameDevice, nameSize } from '../text/names';
import { type ISegment, listParts } from '../text/parts';
import { trans } from './translation';

/** Notes shown of one device. */
const MAX_NOTES = 3;

/** The parts of a device that are measured, in the order of the bar. */
export function partsOf(device: IDevice): ISegment[] {
  const parts = [
    ['outside', trans.__('outside'), device.outside_bytes],
    ['in_use', trans.__('in use'), device.in_use_bytes],
    ['cached', trans.__('cached'), device.cached_bytes],
    ['free', trans.__('free'), device.free_bytes]
  ] as const;
  return parts.flatMap(([kind, name, bytes]) =>
    bytes === null ? [] : [{ kind, name, bytes }]
  );
}

/** "6.3 of 14.7 GiB"; what is not measured is said to be so. */
export function nameUsed(
  { used_bytes, capacity_bytes }: IDevice,
  separator = trans.__(' of ')
): string {
  return used_bytes === null || !capacity_bytes
    ? nameSize(used_bytes, trans)
    : formatPair(used_bytes, capacity_bytes, separator);
}

/** The bar of a device; nothing where its size is not known. */
export function deviceBar(device: IDevice): HTMLElement | null {
  const parts = partsOf(device);
  if (!device.capacity_bytes) {
    return null;
  }
  const known = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const rest = Math.max(0, device.capacity_bytes - known);
  const label = `${nameDevice(device, trans)}: ${listParts(parts)}`;
  return bar(
    device.free_bytes === null
      ? [...parts, { kind: 'free', name: trans.__('free'), bytes: rest }]
      : parts,
    label,
    false
  );
}

type Child = Node | string | null;

/** What a gauge says first, and what stands beside it. */
export function head(
  headline: readonly Child[],
  aside: readonly Child[]
): HTMLElement {
  return element(
    'div',
    'jp-GpuHeadroomLive-head',
    element('h3', 'jp-GpuHeadroomLive-headline', ...headline),
    element('p', 'jp-GpuHeadroomLive-aside', ...aside)
  );
}

/**
 * The headroom of a device, its bar and its numbers.
 *
 * @param aside - what stands beside the headroom, after the name of the device
 */
export function deviceNumbers(
  device: IDevice,
  sign: 'triangle' | 'octagon' | null,
  aside: string
): HTMLElement {
  const { headroom_bytes, notes, simulated } = device;
  const node = element(
    'div',
    `jp-GpuHeadroomLive-device${simulated ? ' jp-mod-simulated' : ''}`,
    head(
      [
        sign && icon(sign),
        headroom_bytes === null
          ? trans.__('Headroom: not measured')
          : trans.__('Headroom: %1', formatBytes(headroom_bytes))
      ],
      [
        simulated ? icon('flask') : null,
        `${nameDevice(device, trans)}${aside && ` · ${aside}`}`
      ]
    ),
    deviceBar(device),
    split(device),
    legend(partsOf(device)),
    ...notes
      .slice(0, MAX_NOTES)
      .map(({ text }) =>
        element('p', 'jp-GpuHeadroomCard-note', ...inline(text))
      )
  );
  return node;
}

/** The one boundary of the bar: used on its left, headroom on its right. */
function split(device: IDevice): HTMLElement {
  const { used_bytes, capacity_bytes } = device;
  const used = element('span', '', trans.__('used %1', nameUsed(device)));
  if (used_bytes !== null && capacity_bytes) {
    used.style.width = `${(100 * used_bytes) / capacity_bytes}%`;
  }
  return element(
    'div',
    'jp-GpuHeadroom-split',
    used,
    element('span', '', trans.__('headroom'))
  );
}
