import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';

import { formatBytes } from '../text/format';
import type { IKernelMemory } from '../tokens';

/** Same list as in `gpu_dry_run/gpus.py`. */
export const GPUS = [
  'T4',
  'L4',
  'P100 16GB',
  'V100 16GB',
  'RTX 3060 12GB',
  'RTX 3090',
  'RTX 4090',
  'A100 40GB',
  'L40S',
  'A100 80GB',
  'H100 80GB'
];

/** Selection of the user. */
export interface IChoice {
  /** Empty: the kernel's own. */
  readonly gpu: string;
  /** The index of the last cell; `null`: all. */
  readonly last: number | null;
}

/** Dialog body that selects the simulated GPU and the last cell. */
export class Choice extends ReactWidget {
  constructor(
    private readonly _memory: IKernelMemory,
    panel: NotebookPanel,
    private readonly _trans: TranslationBundle
  ) {
    super();
    this.addClass('jp-GpuHeadroom-dryRunChoice');
    this._active = panel.content.activeCellIndex;
  }

  getValue(): IChoice {
    const [gpu, cells] = [...this.node.querySelectorAll('select')].map(
      ({ value }) => value
    );
    return { gpu: gpu ?? '', last: cells === 'all' ? null : this._active };
  }

  protected override render(): React.JSX.Element {
    const trans = this._trans;
    const own = this._memory.state.sample?.devices[0];
    return (
      <>
        <p>
          {trans.__(
            'The cells run in a separate process, on a simulated GPU without values. This kernel, its variables and your files do not change.'
          )}
        </p>
        <label>
          {trans.__('GPU')}
          <select className="jp-mod-styled">
            {own?.capacity_bytes && (
              <option value="">
                {trans.__(
                  'This GPU: %1, %2',
                  own.name ?? trans.__('GPU %1', own.index),
                  formatBytes(own.capacity_bytes)
                )}
              </option>
            )}
            {GPUS.map(name => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          {trans.__('Cells')}
          <select className="jp-mod-styled">
            <option value="all">{trans.__('All cells')}</option>
            <option value="some">{trans.__('Up to the selected cell')}</option>
          </select>
        </label>
      </>
    );
  }

  private readonly _active: number;
}
