import type { Message } from '@lumino/messaging';
import { Panel } from '@lumino/widgets';

import { Body } from './body';
import { Header } from './header';
import type { PanelModel } from './model';

/**
 * The panel in the right side bar: the GPUs, what holds their memory, and what
 * other programs use. Disposes its model.
 */
export class GpuPanel extends Panel {
  /** @param onSettings - opens the settings */
  constructor(
    private readonly _model: PanelModel,
    onSettings: () => void
  ) {
    super();
    this.addClass('jp-GpuHeadroom-panel');
    this.addWidget(new Header(_model, onSettings));
    this.addWidget(this.body);
    _model.stateChanged.connect(this._onModel, this);
    this._onModel();
  }

  /** The sections: they step aside where there is nothing to show in them. */
  readonly body = new Body(this._model);

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._model.dispose();
    super.dispose();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._model.isShown = true;
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this._model.isShown = false;
  }

  private _onModel(): void {
    this.body.setHidden(this._model.isEmpty);
  }
}
