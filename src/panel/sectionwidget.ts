import { VDomRenderer } from '@jupyterlab/ui-components';
import type { IDisposable } from '@lumino/disposable';
import type { Message } from '@lumino/messaging';
import { Panel, Widget } from '@lumino/widgets';
import * as React from 'react';

import type { IKernelMemory } from '../tokens';
import type { IPanelSection, PanelModel } from './model';

/** Default height: about two rows with their actions. */
const MIN_HEIGHT_PX = 120;

/** One section in the accordion of the panel; its content scrolls if it is higher. */
export class SectionWidget extends Panel {
  constructor(
    readonly section: IPanelSection,
    private readonly _model: PanelModel
  ) {
    super();
    this.id = `gpu-headroom-panel-${section.id}`;
    this.addClass('jp-GpuHeadroom-section');
    this.title.label = section.label(_model.trans);
    this.toolbar.addClass('jp-GpuHeadroom-total');
    this.addWidget(this.body);
  }

  /** The total, which the accordion has in the title. */
  readonly toolbar = new Widget({ node: document.createElement('span') });

  readonly body: Widget = new Body(this.section, this._model);

  /** Height of its content in pixels; 0 while it is closed. */
  get contentHeight(): number {
    return this.isHidden
      ? 0
      : Math.ceil(this.body.node.getBoundingClientRect().height);
  }

  /** Limit the height to what the content needs. */
  bound(height: number): void {
    const { minHeight = MIN_HEIGHT_PX } = this.section;
    this.node.style.maxHeight = `${height}px`;
    this.node.style.minHeight = `${Math.min(height, minHeight)}px`;
  }

  updateTotal(): void {
    this.toolbar.node.textContent = this.section.total(this._model);
  }

  override dispose(): void {
    super.dispose();
    this.toolbar.dispose();
  }
}

/**
 * Content of a section, rendered and measured only while it is on screen.
 *
 * Does not own its model.
 */
class Body extends VDomRenderer<PanelModel> {
  constructor(
    private readonly _section: IPanelSection,
    model: PanelModel
  ) {
    super(model);
    this.addClass('jp-GpuHeadroom-sectionBody');
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.update();
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this._look(null);
  }

  protected override onBeforeDetach(message: Message): void {
    super.onBeforeDetach(message);
    this._look(null);
  }

  protected override onUpdateRequest(message: Message): void {
    if (this.isVisible) {
      this._look(this.model.current);
      super.onUpdateRequest(message);
    }
  }

  protected override render(): React.JSX.Element {
    return React.createElement(this._section.Body, { model: this.model });
  }

  /** Measure the content for this kernel; `null`: stop measuring. */
  private _look(kernel: IKernelMemory | null): void {
    if (kernel !== this._kernel) {
      const before = this._looking;
      this._kernel = kernel;
      this._looking = (kernel && this._section.look?.(this.model)) ?? null;
      before?.dispose();
    }
  }

  private _kernel: IKernelMemory | null = null;
  private _looking: IDisposable | null = null;
}
