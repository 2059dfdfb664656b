import { Notification } from '@jupyterlab/apputils';
import type { CommandRegistry } from '@lumino/commands';

import type { GaugeModel } from './model';
import type { GaugePopup } from './popup';
import { GaugeButton } from './statusitem';

/** Creates gauges, and opens and closes the one popup of the page. */
export class GaugeOpener {
  constructor(
    private readonly _model: GaugeModel,
    private readonly _commands: CommandRegistry
  ) {}

  /** The gauge that was created last and still exists. */
  get last(): GaugeButton | null {
    return this._last?.isDisposed === false ? this._last : null;
  }

  /** Create a gauge, owned by the caller. */
  create(): GaugeButton {
    const button = new GaugeButton(this._model, () => {
      this.toggle(button);
    });
    this._last = button;
    return button;
  }

  /** Open the popup beside the existing gauge. */
  show(): void {
    if (this.last && !this._popup) {
      this.toggle(this.last);
    }
  }

  /** Open the popup beside a gauge, or close the one that is open. */
  toggle(button: GaugeButton): void {
    if (this._popup) {
      this._popup.dispose();
    } else if (!this._isOpening) {
      this._isOpening = true;
      void this._open(button)
        .catch(() => {
          const { trans } = this._model;
          Notification.error(
            trans.__('The numbers cannot be shown: the server did not answer.'),
            { autoClose: false }
          );
        })
        .finally(() => {
          this._isOpening = false;
        });
    }
  }

  /** Open the popup, loading its code on first use. */
  private async _open(button: GaugeButton): Promise<void> {
    const { GaugePopup } = await import('./popup');
    if (button.isDisposed) {
      return;
    }
    const popup = new GaugePopup({
      model: this._model,
      anchor: button,
      commands: this._commands
    });
    this._popup = popup;
    button.isExpanded = true;
    popup.disposed.connect(() => {
      this._popup = null;
      button.isExpanded = false;
    });
    popup.open();
  }

  private _popup: GaugePopup | null = null;
  private _isOpening = false;
  private _last: GaugeButton | null = null;
}
