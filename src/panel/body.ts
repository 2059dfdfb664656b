import { VDomRenderer } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import * as React from 'react';

import type { SectionName } from './layout';
import type { PanelModel } from './model';
import type { Sections } from './sections';

/**
 * What stands below the header of the panel: loaded when it is first seen, and
 * drawn only while it is on screen.
 *
 * Does not own its model.
 */
export class Body extends VDomRenderer<PanelModel> {
  constructor(model: PanelModel) {
    super(model);
    this.addClass('jp-GpuHeadroom-sections');
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.update();
  }

  protected override onUpdateRequest(message: Message): void {
    if (!this.isVisible) {
      return;
    }
    if (this._sections) {
      super.onUpdateRequest(message);
    } else {
      void this._load();
    }
  }

  protected override render(): React.JSX.Element | null {
    const { _sections: view, model } = this;
    // Nothing moves from under the pointer, or away from who reads on.
    if (
      !areSame(this._order, model.order) ||
      !this.node.matches(':hover, :focus-within')
    ) {
      this._order = model.order;
    }
    return view && React.createElement(view, { model, order: this._order });
  }

  private async _load(): Promise<void> {
    this._sections = (await import('./sections')).Sections;
    this.update();
  }

  private _sections: typeof Sections | null = null;
  private _order: readonly SectionName[] = [];
}

/** Whether no section has come or gone. */
function areSame(
  before: readonly SectionName[],
  now: readonly SectionName[]
): boolean {
  return (
    before.length === now.length && before.every(name => now.includes(name))
  );
}
