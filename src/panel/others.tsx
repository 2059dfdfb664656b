import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { formatBytes } from '../format';
import { Hint } from '../gauge/hint';
import type { IProcess } from '../protocol';
import type { PanelModel } from './model';

/**
 * What other programs use of the GPU, as far as the driver tells.
 */
export function Others({ model }: { model: PanelModel }): React.JSX.Element {
  const { device, held, trans } = model;
  const processes = held?.processes ?? null;
  if (processes === null) {
    return <Hint icon="info">{explain(model)}</Hint>;
  }
  if (processes.length === 0) {
    return (
      <p className="jp-GpuHeadroom-notice">
        {trans.__('No other program uses this GPU.')}
      </p>
    );
  }
  return (
    <ul className="jp-GpuHeadroom-processes" aria-label={device?.name ?? ''}>
      {processes.map((process, index) => (
        <li key={index} className="jp-GpuHeadroom-row">
          <span className="jp-GpuHeadroom-name">
            {nameProcess(process, trans)}
          </span>
          <span>{sizeOf(process.bytes, trans)}</span>
        </li>
      ))}
    </ul>
  );
}

/**
 * What other programs use together; `null`: not measured.
 */
export function othersBytes({ device, held }: PanelModel): number | null {
  const sizes = held?.processes?.map(({ bytes }) => bytes);
  const isListed = sizes !== undefined && !sizes.includes(null);
  return isListed
    ? sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0)
    : (device?.others_bytes ?? null);
}

/** Why no programs are listed. */
function explain(model: PanelModel): string {
  const { device, trans } = model;
  const others = device?.others_bytes ?? null;
  if (others !== null && others > 0) {
    return trans.__(
      'Other programs hold %1, but this container hides which ones.',
      formatBytes(others)
    );
  }
  return others === 0
    ? trans.__('No other program uses this GPU.')
    : trans.__('What other programs hold is not measured.');
}

function nameProcess(
  { name, pid }: IProcess,
  trans: TranslationBundle
): string {
  if (name) {
    return name;
  }
  return pid === null
    ? trans.__('another program')
    : trans.__('process %1', pid);
}

function sizeOf(bytes: number | null, trans: TranslationBundle): string {
  return bytes === null ? trans.__('not measured') : formatBytes(bytes);
}
