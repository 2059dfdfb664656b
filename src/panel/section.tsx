import { Toolbar, VDomRenderer } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import type { IBodyProps, PanelModel, SectionName } from './model';

/** Left and right of the content together. */
const PADDING_PX = 20;

/** What a section is made of. */
export interface ISectionOptions {
  readonly body: SectionName;
  readonly label: string;
  /** The text at the right of the title. */
  readonly total: (model: PanelModel) => string;
  /**
   * It takes no more room than its content needs, and gives way to others down
   * to this; `null`: it takes what is left.
   */
  readonly leastPx: number | null;
}

/**
 * One section of the panel: its title carries a total, and its content is
 * rendered only while it is on screen.
 *
 * Does not own its model.
 */
export class Section extends VDomRenderer<PanelModel> {
  constructor(
    model: PanelModel,
    private readonly _options: ISectionOptions
  ) {
    super(model);
    this.addClass('jp-GpuHeadroom-section');
    this.title.label = _options.label;
    this.toolbar.addItem('total', this._total);
    this._total.addClass('jp-GpuHeadroom-total');
  }

  /** The total at the right of the title, where JupyterLab has a toolbar. */
  readonly toolbar = new Toolbar();

  override dispose(): void {
    this._observer.disconnect();
    this.toolbar.dispose();
    super.dispose();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.model.setShown(this._options.body, true);
    this.update();
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this.model.setShown(this._options.body, false);
  }

  protected override onResize(message: Widget.ResizeMessage): void {
    super.onResize(message);
    this.update();
  }

  protected override onUpdateRequest(message: Message): void {
    const text = this._options.total(this.model);
    if (this._total.node.textContent !== text) {
      this._total.node.textContent = text;
    }
    if (!this.isVisible) {
      return;
    }
    if (!this._body) {
      void this._load();
      return;
    }
    super.onUpdateRequest(message);
    void this.renderPromise?.then(() => {
      this._follow();
    });
  }

  protected override render(): React.JSX.Element | null {
    const { _body: Content, model } = this;
    return (
      Content && (
        <div className="jp-GpuHeadroom-sectionBody">
          <Content model={model} width={this.node.clientWidth - PADDING_PX} />
        </div>
      )
    );
  }

  private async _load(): Promise<void> {
    this._body = (await import('./bodies'))[this._options.body];
    this.update();
  }

  /** The content is drawn when React comes to it, and grows later, too. */
  private _follow(): void {
    const content = this.node.firstElementChild;
    if (content && !this._isFollowed && !this.isDisposed) {
      this._isFollowed = true;
      this._observer.observe(content);
    }
    this._fit();
  }

  /** As high as the content is, where that is wanted. */
  private _fit(): void {
    const { leastPx } = this._options;
    const content = this.node.firstElementChild;
    if (leastPx === null || !content || this.isDisposed) {
      return;
    }
    const height = Math.ceil(content.getBoundingClientRect().height);
    if (height > 0 && height !== this._height) {
      this._height = height;
      this.node.style.maxHeight = `${height}px`;
      this.node.style.minHeight = `${Math.min(height, leastPx)}px`;
      this.parent?.fit();
    }
  }

  private readonly _total = new Widget();
  private readonly _observer = new ResizeObserver(() => {
    this._fit();
  });
  private _body: React.FunctionComponent<IBodyProps> | null = null;
  private _isFollowed = false;
  private _height = 0;
}
