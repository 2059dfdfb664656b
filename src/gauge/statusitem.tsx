import { VDomRenderer } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import * as React from 'react';

import { Gauge } from '../components/gauge';
import { describe } from '../memory/readingwords';
import { describeWorkers } from '../memory/workerwords';
import type { GaugeModel } from './model';
import { GaugeWorkers } from './workers';

/** Width below which a status bar has no room for the long form. */
const NARROW_PX = 900;

/** Additional width where workers are shown. */
const WORKERS_PX = 300;

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
    const { reading, trans, workers } = this.model;
    const isCompact = this.model.isCompact || this._isNarrow();
    // The accessible name is the content; the sentences describe it.
    this.node.title = [
      describe(reading, trans),
      workers && describeWorkers(workers, trans)
    ]
      .filter(Boolean)
      .join(' ');
    return (
      <>
        {!workers?.isAlone && (
          <Gauge reading={reading} isCompact={isCompact} trans={trans} />
        )}
        {workers && (
          <GaugeWorkers workers={workers} isCompact={isCompact} trans={trans} />
        )}
      </>
    );
  }

  private _isNarrow(): boolean {
    const { workers } = this.model;
    // A toolbar item has a fixed width.
    if (this.node.closest('.jp-GpuHeadroom-toolbarItem')) {
      return workers !== null;
    }
    const width = this.node.closest('.jp-StatusBar-Widget')?.clientWidth ?? 0;
    return width > 0 && width < NARROW_PX + (workers ? WORKERS_PX : 0);
  }
}

function isPress({ key, repeat }: KeyboardEvent): boolean {
  return !repeat && (key === 'Enter' || key === ' ');
}
