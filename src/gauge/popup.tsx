import { VDomRenderer } from '@jupyterlab/ui-components';
import type { IDisposable } from '@lumino/disposable';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import { isBusy } from '../kernel/model';
import { words } from '../messages';
import type { IKernelMemory } from '../tokens';
import type { Freeing } from './freeing';
import type { GaugeModel } from './model';
import { type IPopupAction, PopupBody } from './popupbody';
import { Result } from './result';

/** Where Tab stops in it. */
const TAB_STOPS = 'button, [tabindex="0"]';

/** The popup stays this far inside the window. */
const MARGIN_PX = 8;

/**
 * The popup of a gauge: a dialog beside its button.
 *
 * Owns neither its model nor the release that it shows; both go on without it.
 */
export class GaugePopup extends VDomRenderer<GaugeModel> {
  constructor(options: GaugePopup.IOptions) {
    super(options.model);
    this._options = options;
    this.addClass('jp-GpuHeadroom-popup');
    this.node.setAttribute('role', 'dialog');
    this.node.setAttribute('aria-label', this.model.trans.__('GPU memory'));
    this.node.tabIndex = -1;
    options.freeing.changed.connect(this.update, this);
    this.model.stateChanged.connect(this._watch, this);
    this.model.isWatched = true;
    this._watch();
  }

  /** Show it, and give it the focus. */
  async open(): Promise<void> {
    Widget.attach(this, document.body);
    await this.renderPromise;
    this._place();
    this._focusFirst();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    const hadFocus = this.node.contains(document.activeElement);
    const { anchor, freeing, model } = this._options;
    this._watched?.dispose();
    freeing.reset();
    super.dispose();
    model.isWatched = false;
    if (hadFocus) {
      anchor.node.focus();
    }
  }

  handleEvent(event: Event): void {
    if (event instanceof KeyboardEvent) {
      this._onKey(event);
    } else if (event.type === 'pointerdown') {
      const { anchor } = this._options;
      const target = event.target as Node | null;
      if (!this.node.contains(target) && !anchor.node.contains(target)) {
        this.dispose();
      }
    } else if (event.type === 'resize') {
      this._place();
    }
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    // On the page: a toolbar of JupyterLab 4.2 gives the focus away after a click.
    document.addEventListener('keydown', this, true);
    document.addEventListener('pointerdown', this, true);
    window.addEventListener('resize', this);
  }

  protected override onBeforeDetach(message: Message): void {
    document.removeEventListener('keydown', this, true);
    document.removeEventListener('pointerdown', this, true);
    window.removeEventListener('resize', this);
    super.onBeforeDetach(message);
  }

  protected override onUpdateRequest(message: Message): void {
    super.onUpdateRequest(message);
    void this.renderPromise?.then(() => {
      this._keepFocus();
    });
  }

  protected override render(): React.JSX.Element {
    const { reading, current, trans } = this.model;
    const state = current?.state;
    return (
      <PopupBody
        reading={reading}
        state={state ?? null}
        isBusy={state !== undefined && isBusy(state)}
        picked={this._picked}
        onPick={index => {
          this._picked = index;
          this.update();
        }}
        result={this._result()}
        actions={this._actions()}
        notice={this._notice()}
        trans={trans}
      />
    );
  }

  private _result(): React.JSX.Element | null {
    const { trans } = this.model;
    const { step } = this._options.freeing;
    if (step.kind !== 'done') {
      return null;
    }
    const { released } = step;
    const sentence = words(trans).sentence(released.message);
    return <Result released={released} sentence={sentence} trans={trans} />;
  }

  private _actions(): IPopupAction[] {
    return this._options.actions({
      model: this.model,
      freeing: this._options.freeing,
      close: () => {
        this.dispose();
      }
    });
  }

  /** What the person should know before pressing a button. */
  private _notice(): string {
    const { trans, current, reading } = this.model;
    const { step } = this._options.freeing;
    if (step.kind === 'failed') {
      return step.problem;
    }
    if (current?.state.phase === 'live' && current.state.problem !== null) {
      return current.state.problem;
    }
    const isFreeable = 'device' in reading && step.kind !== 'done';
    if (!current || !isFreeable || !isBusy(current.state)) {
      return '';
    }
    const count = current.state.cell?.execution_count ?? null;
    const running =
      count === null
        ? trans.__('A cell is running.')
        : trans.__('In [%1] is running.', count);
    return reading.kind === 'filling'
      ? trans.__(
          '%1 Freeing starts when it finishes or is interrupted.',
          running
        )
      : trans.__('%1 Freeing starts when it finishes.', running);
  }

  private _onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      this.dispose();
    } else if (event.key === 'Tab') {
      this._trap(event);
    }
  }

  /** Tab goes round inside the dialog. */
  private _trap(event: KeyboardEvent): void {
    const stops = [...this.node.querySelectorAll<HTMLElement>(TAB_STOPS)];
    const [first, last] = [stops[0], stops[stops.length - 1]];
    const { activeElement } = document;
    const isInside = stops.includes(activeElement as HTMLElement);
    const edge = event.shiftKey ? first : last;
    if (!isInside || activeElement === edge) {
      event.preventDefault();
      (event.shiftKey ? last : first)?.focus();
    }
  }

  /** The button that was pressed may be gone: the focus stays in the dialog. */
  private _keepFocus(): void {
    const isLost = document.activeElement === document.body;
    if (this.isAttached && isLost) {
      this._focusFirst();
    }
  }

  private _focusFirst(): void {
    const button = this.node.querySelector('button');
    (button ?? this.node).focus({ preventScroll: true });
  }

  /** Above its button where there is more room, else below. */
  private _place(): void {
    const anchor = this._options.anchor.node.getBoundingClientRect();
    const { style, offsetWidth } = this.node;
    const rightmost = window.innerWidth - offsetWidth - MARGIN_PX;
    const left = Math.max(MARGIN_PX, Math.min(anchor.left, rightmost));
    const isAbove = anchor.top > window.innerHeight - anchor.bottom;
    style.left = `${left}px`;
    style.top = isAbove ? '' : `${anchor.bottom}px`;
    style.bottom = isAbove ? `${window.innerHeight - anchor.top}px` : '';
  }

  /** Follow the fast readings of whichever kernel is shown. */
  private _watch(): void {
    const { current } = this.model;
    if (current !== this._watchedKernel) {
      this._watchedKernel = current;
      this._watched?.dispose();
      this._watched = current?.watch() ?? null;
    }
  }

  private readonly _options: GaugePopup.IOptions;
  /** The index of the GPU that was picked here. */
  private _picked: number | null = null;
  private _watchedKernel: IKernelMemory | null = null;
  private _watched: IDisposable | null = null;
}

/**
 * A namespace for `GaugePopup` statics.
 */
export namespace GaugePopup {
  /** What can be offered depends on these. */
  export interface IContext {
    model: GaugeModel;
    freeing: Freeing;
    close: () => void;
  }

  /** What a popup is made of. */
  export interface IOptions {
    model: GaugeModel;
    freeing: Freeing;
    /** The button that opened it. */
    anchor: Widget;
    /** What can be done now, in the order of its buttons. */
    actions: (context: IContext) => IPopupAction[];
  }
}
