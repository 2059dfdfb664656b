import { SidePanel } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import { AccordionPanel } from '@lumino/widgets';

import { Header } from './header';
import type { IPanelSection, PanelModel } from './model';
import { SectionWidget } from './sectionwidget';

/** Height of a title, and of the edge between two open sections, in pixels. */
const TITLE_PX = 25;
const EDGE_PX = 1;

/**
 * The panel in the right side bar. Disposes its model.
 */
export class GpuPanel extends SidePanel {
  /** @param onSettings - opens the settings */
  constructor(
    private readonly _model: PanelModel,
    onSettings: () => void
  ) {
    super({ spacing: EDGE_PX, titleSpace: TITLE_PX });
    this.addClass('jp-GpuHeadroom-panel');
    this.header.addWidget(new Header(_model, onSettings));
    const accordion = this._accordion;
    accordion.expansionToggled.connect(this._onToggled, this);
    accordion.handleMoved.connect(this._onHandle, this);
    this._observer.observe(accordion.node);
    _model.stateChanged.connect(this._onModel, this);
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._observer.disconnect();
    this._model.dispose();
    for (const widget of this._widgets.values()) {
      widget.dispose();
    }
    super.dispose();
  }

  /** Open a section, and scroll to it. */
  async reveal(id: string): Promise<void> {
    await this._model.sections.load();
    const index = this._shown.findIndex(({ section }) => section.id === id);
    if (index >= 0) {
      this._accordion.expand(index);
      this._accordion.titles[index]?.focus();
    }
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._model.isShown = true;
    void this._model.sections.load();
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this._model.isShown = false;
  }

  private get _accordion(): AccordionPanel {
    if (!(this.content instanceof AccordionPanel)) {
      throw new TypeError('The content of a side panel is an accordion.');
    }
    return this.content;
  }

  /** Render on being shown, since nothing is rendered while hidden. */
  private _onModel(): void {
    if (!this.isVisible) {
      return;
    }
    this._arrange();
    for (const widget of this._shown) {
      widget.updateTotal();
    }
  }

  /** Show the sections of the model, in its order. */
  private _arrange(): void {
    const wanted = this._model.order.map(section => this._widgetOf(section));
    const before = this._shown;
    const areSame =
      before.length === wanted.length &&
      wanted.every(widget => before.includes(widget));
    // Nothing moves while the pointer or the focus is on it.
    if (areSame && this._accordion.node.matches(':hover, :focus-within')) {
      return;
    }
    this._shown = wanted;
    for (const widget of before) {
      if (!wanted.includes(widget)) {
        this._observer.unobserve(widget.body.node);
        widget.parent = null;
      }
    }
    wanted.forEach((widget, index) => {
      if (this._accordion.widgets[index] !== widget) {
        this._place(widget, index);
      }
    });
  }

  /**
   * Insert the node in order, since Lumino orders only the layout and the tab order is
   * that of the nodes.
   */
  private _place(widget: SectionWidget, index: number): void {
    const { handles, node, titles } = this._accordion;
    this._accordion.insertWidget(index, widget);
    const next = titles[index + 1] ?? null;
    for (const part of [titles[index], widget.node, handles[index]]) {
      if (part) {
        node.insertBefore(part, next);
      }
    }
    // Lumino's own label is English, and without the total.
    titles[index]?.removeAttribute('aria-label');
    this._observer.observe(widget.body.node);
  }

  private _widgetOf(section: IPanelSection): SectionWidget {
    const widget =
      this._widgets.get(section) ?? new SectionWidget(section, this._model);
    this._widgets.set(section, widget);
    return widget;
  }

  /** Give small sections the height they need, and divide the rest among the others. */
  private _share(): void {
    if (!this.isVisible) {
      return;
    }
    const { _accordion, _shown: shown } = this;
    const heights = shown.map(({ contentHeight }) => contentHeight);
    const open = shown.filter(({ isHidden }) => !isHidden).length;
    const space =
      _accordion.node.clientHeight -
      TITLE_PX * shown.length -
      EDGE_PX * Math.max(0, open - 1);
    shown.forEach((widget, index) => {
      widget.bound(heights[index] ?? 0);
    });
    if (!this._isMoved) {
      _accordion.setRelativeSizes(divide(heights, space), false);
    }
    _accordion.fit();
    requestAnimationFrame(() => {
      if (!this.isDisposed) {
        this._keepInSight();
      }
    });
  }

  /** Keep a section whose title has the focus in view while others grow. */
  private _keepInSight(): void {
    this._shown.forEach(({ node }, index) => {
      if (this._accordion.titles[index] === document.activeElement) {
        node.scrollIntoView({ block: 'nearest' });
      }
    });
  }

  /** Record the heights of the open sections that the user chose. */
  private _onHandle(): void {
    this._isMoved = true;
  }

  private _onToggled(): void {
    this._isMoved = false;
    this._share();
  }

  private _shown: readonly SectionWidget[] = [];
  private readonly _widgets = new Map<IPanelSection, SectionWidget>();
  private readonly _observer = new ResizeObserver(() => {
    this._share();
  });
  private _isMoved = false;
}

/** Reduce the largest heights to one level so that all fit. */
function divide(heights: readonly number[], space: number): number[] {
  let rest = space;
  let level = Infinity;
  [...heights]
    .sort((first, second) => first - second)
    .forEach((height, index, { length }) => {
      level = Math.min(height, rest / (length - index));
      rest -= level;
    });
  return heights.map(height => Math.min(height, level));
}
