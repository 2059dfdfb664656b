import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Hint } from '../components/hint';
import type { IPanelProps, IPanelSection, PanelModel } from '../panel/model';
import type { IProcess } from '../protocol';
import { nameOthers, nameSize } from '../text/names';
import { NotebookList, Unasked } from './list';
import type { OtherKernels } from './otherkernels';
import { type IShare, restOf, sharesOf } from './sharing';
import { describeTotal } from './words';

import '../../style/otherkernels.css';

/** Other users of the displayed GPU, as a section of the panel. */
export function othersSection(others: OtherKernels): IPanelSection {
  return {
    id: 'others',
    rank: 70,
    label: trans => trans.__('Other notebooks on this GPU'),
    total: model =>
      describeTotal(
        model.device?.others_bytes ?? null,
        sharesIn(model, others),
        model.trans
      ),
    follows: () => others,
    look: () => others.watch(),
    Body: ({ model }) => <Others model={model} others={others} />
  };
}

/** Memory of other notebooks on the GPU. */
function sharesIn(
  { device }: PanelModel,
  { kernels }: OtherKernels
): readonly IShare[] {
  return device ? sharesOf(kernels, device) : [];
}

/** Other users of the GPU: notebooks of this server, and other programs together. */
function Others({
  model,
  others
}: IPanelProps & { others: OtherKernels }): React.JSX.Element {
  const { device, held, trans } = model;
  const shares = sharesIn(model, others);
  const processes = held?.processes ?? [];
  const bytes = device?.others_bytes ?? null;
  const rest = nameOthers(restOf(bytes, shares), device, trans);
  return (
    <>
      {bytes === 0 && shares.length === 0 ? (
        <Hint icon="info">{trans.__('No other program uses this GPU.')}</Hint>
      ) : (
        <NotebookList {...{ others, shares, rest, trans }} />
      )}
      <Unasked others={others} trans={trans} />
      {processes.length > 0 && (
        <Processes processes={processes} trans={trans} />
      )}
    </>
  );
}

/** The processes that the driver lists, the notebooks' kernels included. */
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
    ? trans.__('another process')
    : trans.__('process %1', pid);
}
