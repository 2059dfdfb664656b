import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { IDryRunAsk } from '../protocol';
import { own } from '../text/own';

/** What a person is asked before cells run: whether each that others would notice does. */
export class Question extends ReactWidget {
  constructor(
    /** What else is to be agreed to, as a sentence; empty: nothing. */
    private readonly _said: string,
    private readonly _asks: readonly IDryRunAsk[],
    private readonly _labels: Readonly<Record<string, string>>,
    private readonly _trans: TranslationBundle
  ) {
    super();
    this.addClass('jp-GpuHeadroom-dryRunChoice');
  }

  /** The ids of the cells that are left out. */
  getValue(): readonly string[] {
    return this._asks
      .map(({ cell_id }) => cell_id)
      .filter(id => !this._run.has(id));
  }

  protected override render(): React.JSX.Element {
    const { _trans: trans } = this;
    return (
      <>
        {this._said && <p>{this._said}</p>}
        {this._asks.length > 0 && (
          <p>
            {trans.__(
              'They do more than compute and write files. A cell that is not ticked is left out. Commands, such as %pip, are passed over.'
            )}
          </p>
        )}
        <ul>
          {this._asks.map(({ calls, cell_id }) => (
            <li key={cell_id}>
              <label>
                <input
                  type="checkbox"
                  checked={this._run.has(cell_id)}
                  onChange={({ target }) => {
                    if (target.checked) {
                      this._run.add(cell_id);
                    } else {
                      this._run.delete(cell_id);
                    }
                    this.update();
                  }}
                />
                {own(this._labels, cell_id)} <code>{calls.join(', ')}</code>
              </label>
            </li>
          ))}
        </ul>
      </>
    );
  }

  private readonly _run = new Set<string>();
}
