import type { ITranslator } from '@jupyterlab/translation';
import { SidePanel } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import { AccordionPanel } from '@lumino/widgets';

import { formatBytes } from '../format';
import { describeTotal } from '../notebooks/words';
import { describeSafe } from '../release/words';
import { Header } from './header';
import type { PanelModel } from './model';
import { Section } from './section';

/**
 * The panel in the right side bar: the GPUs, what holds their memory, and what
 * other programs use. Disposes its model.
 */
export class GpuPanel extends SidePanel {
  constructor(options: GpuPanel.IOptions) {
    const { model, onSettings, translator } = options;
    super({ translator });
    this.header.addWidget(new Header(model, onSettings));
    this._model = model;
    this.addClass('jp-GpuHeadroom-panel');
    for (const section of createSections(model)) {
      this.addWidget(section);
    }
    model.stateChanged.connect(this._onModel, this);
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

  private readonly _model: PanelModel;
}

/**
 * A namespace for `GpuPanel` statics.
 */
export namespace GpuPanel {
  /** What a panel is made of. */
  export interface IOptions {
    model: PanelModel;
    /** Opens the settings. */
    onSettings: () => void;
    translator: ITranslator;
  }
}

function createSections(model: PanelModel): Section[] {
  const { trans } = model;
  return [
    new Section({
      model,
      label: trans.__('Devices'),
      total: ({ devices }) => String(devices.length),
      load: async () => (await import('./bodies')).Devices,
      leastPx: 100
    }),
    new Section({
      model,
      label: trans.__('Timeline'),
      total: ({ device }) => (device ? trans.__('GPU %1', device.index) : ''),
      load: async () => (await import('./bodies')).History,
      leastPx: 100
    }),
    new Section({
      model,
      label: trans.__('What holds GPU memory'),
      total: ({ held }) => (held ? formatBytes(held.in_use_bytes) : ''),
      load: async () => (await import('./bodies')).HolderList,
      leastPx: null,
      onShown: isShown => {
        model.areHoldersShown = isShown;
      }
    }),
    new Section({
      model,
      label: trans.__('Can be freed'),
      total: ({ session }) => (session ? describeSafe(session.checklist) : ''),
      load: async () => (await import('./bodies')).FreeableList,
      leastPx: 180,
      onShown: isShown => {
        model.areFreeablesShown = isShown;
      }
    }),
    new Section({
      model,
      label: trans.__('Other notebooks on this GPU'),
      total: ({ othersBytes, shares }) =>
        describeTotal(othersBytes, shares, trans),
      load: async () => (await import('./bodies')).Others,
      leastPx: 60,
      onShown: isShown => {
        model.areOthersShown = isShown;
      }
    })
  ];
}
