import type { IHeldDevice, IHolders } from '../protocol';
import { formatBytes } from '../text/format';
import { nameHolder } from '../text/names';
import { rows, said } from './parts';
import { trans } from './translation';

/** Holders named at most, of each GPU. */
const MOST_HOLDERS = 8;

/** What holds the memory in use: for each GPU the largest holders, and what is left. */
export function holding({ devices, message }: IHolders): HTMLElement[] {
  return [
    said('info', message.text),
    ...devices.filter(({ in_use_bytes }) => in_use_bytes > 0).map(heldOn)
  ];
}

/** The rows add up to what is in use. */
function heldOn({
  device_index,
  in_use_bytes,
  rows: held
}: IHeldDevice): HTMLElement {
  const named = held.slice(0, MOST_HOLDERS);
  const rest = named.reduce((left, { bytes }) => left - bytes, in_use_bytes);
  return rows([
    ...named.map((each): [string, string] => [
      each.name && each.origin !== 'traceback'
        ? `\`${each.name}\``
        : nameHolder(each, trans),
      formatBytes(each.bytes)
    ]),
    ...(rest > 0
      ? [[trans.__('All else'), formatBytes(rest)] as [string, string]]
      : []),
    [
      `**${trans.__('In use on GPU %1', device_index)}**`,
      formatBytes(in_use_bytes)
    ]
  ]);
}
