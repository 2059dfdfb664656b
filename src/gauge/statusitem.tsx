import { VDomRenderer } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import * as React from 'react';

import { Gauge } from '../components/gauge';
import { describe } from '../memory/readingwords';
import type { GaugeModel } from './model';

/** A status bar narrower than this has no room for the long form. */
const NARROW_PX = 900;

/**
 * The gauge as a button: in the status bar, and in Notebook 7's toolbar.
 *
 * Does not own its model: both places may show the same one.
 */
export class GaugeButton extends VDomRenderer<GaugeModel> {
  /** @param _onPress - called on click, Enter and Space */
  constructor(
    model: GaugeModel,
    private readonly _onPress: () => void
  ) {
    super(model);
    this.addClass('jp-GpuHeadroom-gauge');
    this.addClass('jp-mod-highlighted');
    this.node.setAttribute('role', 'button');
    this.node.setAttribute('aria-haspopup', 'dialog');
    this.isExpanded = false;
    this.node.tabIndex = 0;
  }

  /** Whether the popup of this button is open. */
  set isExpanded(isExpanded: boolean) {
    this.node.setAttribute('aria-expanded', String(isExpanded));
    this.toggleClass('jp-mod-clicked', isExpanded);
  }

  handleEvent(event: Event): void {
    if (event.type === 'resize') {
      this.update();
    } else if (event.type === 'click') {
      this._onPress();
    } else if (event instanceof KeyboardEvent && isPress(event)) {
      event.preventDefault();
      this._onPress();
    }
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this.node.addEventListener('click', this);
    this.node.addEventListener('keydown', this);
    window.addEventListener('resize', this);
  }

  protected override onBeforeDetach(message: Message): void {
    this.node.removeEventListener('click', this);
    this.node.removeEventListener('keydown', this);
    window.removeEventListener('resize', this);
    super.onBeforeDetach(message);
  }

  protected override render(): React.JSX.Element {
    const { reading, trans, isCompact } = this.model;
    // Its name is what it shows; the sentence describes it.
    this.node.title = describe(reading, trans);
    return (
      <Gauge
        reading={reading}
        isCompact={isCompact || this._isNarrow()}
        trans={trans}
      />
    );
  }

  private _isNarrow(): boolean {
    const bar = this.node.closest('.jp-StatusBar-Widget');
    return bar !== null && bar.clientWidth > 0 && bar.clientWidth < NARROW_PX;
  }
}

function isPress({ key, repeat }: KeyboardEvent): boolean {
  return !repeat && (key === 'Enter' || key === ' ');
}
