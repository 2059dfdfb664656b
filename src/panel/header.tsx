import {
  refreshIcon,
  settingsIcon,
  VDomRenderer
} from '@jupyterlab/ui-components';
import * as React from 'react';

import { Button } from '../components/button';
import { Cut } from '../components/cut';
import { Gap } from '../components/gap';
import { gapOf } from '../memory/gap';
import { NO_MEMO, readGauge } from '../memory/reading';
import { gpuIcon } from './icons';
import type { IPanelProps, PanelModel } from './model';

/**
 * The top of the panel: its title, its document, and, if there is nothing to show, the
 * reason.
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

/** Why there is nothing to show; nothing otherwise. */
function Empty({ model }: IPanelProps): React.JSX.Element | null {
  const { current, devices, trans } = model;
  const state = current?.state ?? null;
  const gap = gapOf(
    state ? readGauge(state, NO_MEMO, Date.now()) : { kind: 'hidden' },
    state,
    trans
  );
  if (devices.length > 0 || gap === null) {
    return null;
  }
  return (
    <div className="jp-GpuHeadroom-panelEmpty">
      <Gap gap={gap} isInline trans={trans}>
        {gap.start !== null && (
          <Button label={gap.start} onPress={() => void current?.start()} />
        )}
      </Gap>
    </div>
  );
}
