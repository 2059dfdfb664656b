import type { ITranslator } from '@jupyterlab/translation';
import { SidePanel } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import { AccordionPanel } from '@lumino/widgets';

import { describeTotal } from '../otherkernels/words';
import { describeSafe } from '../release/words';
import { formatBytes } from '../text/format';
import { Header } from './header';
import type { PanelModel } from './model';
import { type ISectionOptions, Section } from './section';

/**
 * The panel in the right side bar: the GPUs, what holds their memory, and what
 * other programs use. Disposes its model.
 */
export class GpuPanel extends SidePanel {
  /** @param onSettings - opens the settings */
  constructor(
    private readonly _model: PanelModel,
    onSettings: () => void,
    translator: ITranslator
  ) {
    super({ translator });
    this.addClass('jp-GpuHeadroom-panel');
    this.header.addWidget(new Header(_model, onSettings));
    for (const options of sectionsOf(_model)) {
      this.addWidget(new Section(_model, options));
    }
    _model.stateChanged.connect(this._onModel, this);
    this._onModel();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._model.dispose();
    super.dispose();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._openSome();
    this._model.isShown = true;
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this._model.isShown = false;
  }

  /** The sections step aside where there is nothing to show in them. */
  private _onModel(): void {
    this.content.setHidden(this._model.devices.length === 0);
  }

  /**
   * A panel that was hidden when the layout was saved comes back with all its
   * sections closed: JupyterLab 4.2 takes hidden for closed.
   */
  private _openSome(): void {
    const { content } = this;
    if (
      content instanceof AccordionPanel &&
      content.widgets.every(({ isHidden }) => isHidden)
    ) {
      content.widgets.forEach((_, index) => {
        content.expand(index);
      });
    }
  }
}

function sectionsOf({ trans }: PanelModel): ISectionOptions[] {
  return [
    {
      body: 'Devices',
      label: trans.__('Devices'),
      total: ({ devices }) => String(devices.length),
      leastPx: 100
    },
    {
      body: 'History',
      label: trans.__('Timeline'),
      total: ({ device }) => (device ? trans.__('GPU %1', device.index) : ''),
      leastPx: 100
    },
    {
      body: 'HolderList',
      label: trans.__('What holds GPU memory'),
      total: ({ held }) => (held ? formatBytes(held.in_use_bytes) : ''),
      leastPx: null
    },
    {
      body: 'FreeableList',
      label: trans.__('Can be freed'),
      total: ({ session }) => (session ? describeSafe(session.checklist) : ''),
      leastPx: 180
    },
    {
      body: 'Others',
      label: trans.__('Other notebooks on this GPU'),
      total: ({ othersBytes, shares }) =>
        describeTotal(othersBytes, shares, trans),
      leastPx: 60
    }
  ];
}
