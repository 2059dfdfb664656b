import { Signal } from '@lumino/signaling';
import { Panel, type Widget } from '@lumino/widgets';

import type { GaugeModel } from './model';

/**
 * The gauge in the toolbar of Notebook 7, which has no status bar; visible only while
 * there is something to show.
 *
 * Its width is fixed: the toolbar measures its items only once.
 */
export class ToolbarItem extends Panel {
  constructor(
    private readonly _gauge: Widget,
    private readonly _model: GaugeModel
  ) {
    super();
    this.addClass('jp-GpuHeadroom-toolbarItem');
    this.addWidget(_gauge);
    _model.stateChanged.connect(this._onState, this);
    this._onState();
  }

  override dispose(): void {
    Signal.clearData(this);
    super.dispose();
  }

  private _onState(): void {
    this._gauge.setHidden(!this._model.isShown);
  }
}
