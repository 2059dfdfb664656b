import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';

import { formatBytes } from '../text/format';
import type { IKernelMemory } from '../tokens';

/** Of `gpu_dry_run/gpus.py`: whatever else is typed, the helper finds, or says what is near. */
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

const OTHER = 'other';

/** What a person chose. */
export interface IChoice {
  /** Empty: the kernel's own. */
  readonly gpu: string;
  /** The index of the last cell; `null`: all. */
  readonly last: number | null;
}

/** On which GPU edits are tried, and up to which cell. */
export class Choice extends ReactWidget {
  constructor(
    memory: IKernelMemory,
    panel: NotebookPanel,
    private readonly _trans: TranslationBundle
  ) {
    super();
    this.addClass('jp-GpuHeadroom-dryRunChoice');
    const own = memory.state.sample?.devices[0];
    this._active = panel.content.activeCellIndex;
    this._own = own?.capacity_bytes
      ? _trans.__(
          'This GPU: %1, %2',
          own.name ?? _trans.__('GPU %1', own.index),
          formatBytes(own.capacity_bytes)
        )
      : null;
    this._gpu = this._own === null ? 'T4' : '';
  }

  getValue(): IChoice {
    return {
      gpu: this._gpu === OTHER ? this._other : this._gpu,
      last: this._isWhole ? null : this._active
    };
  }

  protected override render(): React.JSX.Element {
    const { _own: own, _trans: trans } = this;
    return (
      <>
        <p>
          {trans.__(
            'The cells run in a process of their own, on a simulated GPU without values. This kernel, its variables and the files of the folder stay as they are.'
          )}
        </p>
        <label>
          {trans.__('GPU')}
          <select
            className="jp-mod-styled"
            value={this._gpu}
            onChange={({ target }) => {
              this._gpu = target.value;
              this.update();
            }}
          >
            {own !== null && <option value="">{own}</option>}
            {GPUS.map(each => (
              <option key={each}>{each}</option>
            ))}
            <option value={OTHER}>{trans.__('Another size…')}</option>
          </select>
        </label>
        {this._gpu === OTHER && (
          <label>
            {trans.__('Size, such as 24 GiB')}
            <input
              className="jp-mod-styled"
              value={this._other}
              onChange={({ target }) => {
                this._other = target.value;
                this.update();
              }}
            />
          </label>
        )}
        <label>
          {trans.__('Cells')}
          <select
            className="jp-mod-styled"
            value={this._isWhole ? 'all' : 'some'}
            onChange={({ target }) => {
              this._isWhole = target.value === 'all';
              this.update();
            }}
          >
            <option value="all">{trans.__('All cells')}</option>
            <option value="some">
              {trans.__('Up to the selected cell, and no further')}
            </option>
          </select>
        </label>
      </>
    );
  }

  private readonly _own: string | null;
  private readonly _active: number;
  private _gpu: string;
  private _other = '24 GiB';
  private _isWhole = true;
}
