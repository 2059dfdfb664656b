import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Hint } from '../components/hint';
import type { IPanelProps, IPanelSection, PanelModel } from '../panel/model';
import type { IProcess } from '../protocol';
import { formatBytes } from '../text/format';
import { nameOthers, nameSize } from '../text/names';
import { NotebookList, Unasked } from './list';
import type { OtherKernels } from './otherkernels';
import { type IShare, restOf, sharesOf } from './sharing';
import { describeTotal } from './words';

import '../../style/otherkernels.css';

/** Who else uses the GPU that is shown, as a section of the panel. */
export function othersSection(others: OtherKernels): IPanelSection {
  return {
    id: 'others',
    rank: 70,
    label: trans => trans.__('Other notebooks on this GPU'),
    total: model =>
      describeTotal(othersBytesIn(model), sharesIn(model, others), model.trans),
    follows: () => others,
    look: () => others.watch(),
    Body: ({ model }) => <Others model={model} others={others} />
  };
}

/** What other notebooks hold of the GPU. */
function sharesIn(
  { device }: PanelModel,
  { kernels }: OtherKernels
): readonly IShare[] {
  return device ? sharesOf(kernels, device) : [];
}

/** What all others hold of it, as the driver reports; `null`: not measured. */
function othersBytesIn({ device, held }: PanelModel): number | null {
  const processes = held?.processes ?? [{ bytes: null }];
  const sum = processes.reduce<number | null>(
    (total, { bytes }) =>
      total === null || bytes === null ? null : total + bytes,
    0
  );
  return device?.others_bytes ?? sum;
}

/**
 * Who else uses the GPU: notebooks of this server, and other programs as far as
 * the driver tells.
 */
function Others({
  model,
  others
}: IPanelProps & { others: OtherKernels }): React.JSX.Element {
  const { device, held, trans } = model;
  const shares = sharesIn(model, others);
  const processes = held?.processes ?? [];
  const rest = nameOthers(restOf(othersBytesIn(model), shares), device, trans);
  return (
    <>
      {shares.length > 0 || processes.length > 0 ? (
        <NotebookList {...{ others, shares, rest, trans }} />
      ) : (
        <Hint icon="info">{explain(model)}</Hint>
      )}
      <Unasked others={others} trans={trans} />
      {processes.length > 0 && (
        <Processes processes={processes} trans={trans} />
      )}
    </>
  );
}

/** Why nobody is listed. */
function explain(model: PanelModel): string {
  const { device, trans } = model;
  const bytes = othersBytesIn(model);
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
