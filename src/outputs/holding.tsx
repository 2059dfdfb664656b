import * as React from 'react';

import { Hint } from '../components/hint';
import { Sentence } from '../components/sentence';
import type { IHeldDevice, IHolders } from '../protocol';
import { formatBytes } from '../text/format';
import { nameHolder } from '../text/names';
import { Rows } from './rows';
import { trans } from './translation';

/** Maximum number of holders listed for each GPU. */
const MOST_HOLDERS = 8;

/** The largest holders of GPU memory for each GPU, and the rest. */
export function Holding({ devices, message }: IHolders): React.JSX.Element {
  return (
    <>
      <Hint icon="info" isSpoken>
        <Sentence text={message.text} />
      </Hint>
      {devices
        .filter(({ in_use_bytes }) => in_use_bytes > 0)
        .map(device => (
          <Rows key={device.device_index} rows={rowsOf(device)} />
        ))}
    </>
  );
}

/** Rows that add up to the memory in use. */
function rowsOf({
  device_index,
  in_use_bytes,
  rows
}: IHeldDevice): [string, string][] {
  const named = rows.slice(0, MOST_HOLDERS);
  const rest = named.reduce((left, { bytes }) => left - bytes, in_use_bytes);
  return [
    ...named.map((entry): [string, string] => [
      entry.name && entry.origin !== 'traceback'
        ? `\`${entry.name}\``
        : nameHolder(entry, trans),
      formatBytes(entry.bytes)
    ]),
    ...(rest > 0
      ? [[trans.__('All else'), formatBytes(rest)] as [string, string]]
      : []),
    [
      `**${trans.__('In use on GPU %1', device_index)}**`,
      formatBytes(in_use_bytes)
    ]
  ];
}
