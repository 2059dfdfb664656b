import {
  refreshIcon,
  settingsIcon,
  VDomRenderer
} from '@jupyterlab/ui-components';
import * as React from 'react';

import { Cut } from '../components/cut';
import { gpuIcon } from '../lab/labicons';
import { Empty } from './empty';
import type { PanelModel } from './model';

/**
 * The top of the panel: its title, the document it is about, and where there is
 * nothing to show, why.
 *
 * Does not own its model.
 */
export class Header extends VDomRenderer<PanelModel> {
  /** @param _onSettings - opens the settings */
  constructor(
    model: PanelModel,
    private readonly _onSettings: () => void
  ) {
    super(model);
    this.addClass('jp-GpuHeadroom-panelHeader');
  }

  protected override render(): React.JSX.Element {
    const { model } = this;
    const { documentName, holders, trans } = model;
    return (
      <>
        <div className="jp-GpuHeadroom-panelTitle">
          <gpuIcon.react tag="span" />
          <h2>{trans.__('GPU Headroom')}</h2>
          <span className="jp-GpuHeadroom-name" title={documentName}>
            <Cut name={documentName} />
          </span>
          <IconButton
            icon={refreshIcon}
            label={trans.__('Measure again')}
            onPress={holders && (() => void holders.measurement.measure(true))}
          />
          <IconButton
            icon={settingsIcon}
            label={trans.__('Settings of GPU Headroom')}
            onPress={this._onSettings}
          />
        </div>
        <Empty model={model} />
      </>
    );
  }
}

function IconButton(props: {
  icon: typeof refreshIcon;
  label: string;
  onPress: (() => void) | null;
}): React.JSX.Element | null {
  const { icon, label, onPress } = props;
  return (
    onPress && (
      <button
        type="button"
        className="jp-GpuHeadroom-iconButton"
        aria-label={label}
        title={label}
        onClick={onPress}
      >
        <icon.react tag="span" />
      </button>
    )
  );
}
