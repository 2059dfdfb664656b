import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Hint } from '../components/hint';
import { NotebookList, Unasked } from '../otherkernels/list';
import { restOf } from '../otherkernels/sharing';
import type { IProcess } from '../protocol';
import { formatBytes } from '../text/format';
import { nameOthers, nameSize } from '../text/names';
import type { IPanelProps, PanelModel } from './model';

/**
 * Who else uses the GPU: notebooks of this server, and other programs as far as
 * the driver tells.
 */
export function Others({ model }: IPanelProps): React.JSX.Element {
  const { device, held, others, othersBytes, shares, trans } = model;
  const processes = held?.processes ?? [];
  const rest = nameOthers(restOf(othersBytes, shares), device, trans);
  return (
    <>
      {shares.length > 0 || processes.length > 0 ? (
        <NotebookList {...{ others, shares, rest, trans }} />
      ) : (
        <Hint icon="info">{explain(model)}</Hint>
      )}
      {others && <Unasked others={others} trans={trans} />}
      {processes.length > 0 && (
        <Processes processes={processes} trans={trans} />
      )}
    </>
  );
}

/** Why nobody is listed. */
function explain(model: PanelModel): string {
  const { device, othersBytes: bytes, trans } = model;
  if (bytes === null) {
    return trans.__(
      'What other programs hold is %1.',
      nameOthers(null, device, trans)
    );
  }
  return bytes === 0
    ? trans.__('No other program uses this GPU.')
    : trans.__(
        'Other programs hold %1, but this container hides which ones.',
        formatBytes(bytes)
      );
}

/** What the driver lists, the notebooks' kernels included. */
function Processes(props: {
  processes: readonly IProcess[];
  trans: TranslationBundle;
}): React.JSX.Element {
  const { processes, trans } = props;
  return (
    <details className="jp-GpuHeadroom-processes">
      <summary>{trans.__('Processes, as the driver lists them')}</summary>
      <ul>
        {processes.map((process, index) => (
          <li key={index} className="jp-GpuHeadroom-row">
            <span className="jp-GpuHeadroom-name">
              {nameProcess(process, trans)}
            </span>
            <span>{nameSize(process.bytes, trans)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
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
