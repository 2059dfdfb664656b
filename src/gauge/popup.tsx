import { VDomRenderer } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import { isBusy } from '../memory/model';
import type { GaugeModel } from './model';
import { popupActions } from './popupactions';
import { PopupBody } from './popupbody';
import { noticeOf } from './popupnotice';

import '../../style/timeline.css';
import '../../style/popup.css';

interface IOptions {
  readonly model: GaugeModel;
  readonly commands: CommandRegistry;
  /** The button that opened it. */
  readonly anchor: Widget;
}

/** Minimum distance of the popup from the edges of the window. */
const MARGIN_PX = 8;

/**
 * The popup of a gauge: a dialog beside its button.
 *
 * Does not own its model.
 */
export class GaugePopup extends VDomRenderer<GaugeModel> {
  constructor(private readonly _options: IOptions) {
    super(_options.model);
    this.addClass('jp-GpuHeadroom-popup');
    this.node.setAttribute('role', 'dialog');
    this.node.setAttribute('aria-label', this.model.trans.__('GPU memory'));
    this.node.tabIndex = -1;
    this.model.isWatched = true;
  }

  /** Show it; it gets the focus once it is rendered. */
  open(): void {
    Widget.attach(this, document.body);
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    const hadFocus = this.node.contains(document.activeElement);
    const { anchor, model } = this._options;
    super.dispose();
    model.isWatched = false;
    if (hadFocus) {
      anchor.node.focus();
    }
  }

  handleEvent(event: Event): void {
    if (isInDialog(event)) {
      return;
    }
    if (event instanceof KeyboardEvent && event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      this.dispose();
    } else if (event instanceof KeyboardEvent && event.key === 'Tab') {
      this._trap(event);
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
    // On the document: a toolbar of JupyterLab 4.2 moves the focus away after a click.
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
    const { model } = this;
    const { reading, current, trans } = model;
    const state = current?.state ?? null;
    const close = (): void => {
      this.dispose();
    };
    const body = (
      <PopupBody
        reading={reading}
        state={state}
        isBusy={state !== null && isBusy(state)}
        actions={popupActions({ ...this._options, close })}
        notice={noticeOf(model)}
        trans={trans}
      />
    );
    return <Drawn onFirst={this._onFirstDrawn}>{body}</Drawn>;
  }

  private readonly _onFirstDrawn = (): void => {
    this._place();
    this._focusFirst();
  };

  /** Keep Tab inside the dialog. */
  private _trap(event: KeyboardEvent): void {
    const stops = [...this.node.querySelectorAll('button')];
    const [first, last] = [stops[0], stops[stops.length - 1]];
    const { activeElement } = document;
    const isInside = stops.some(stop => stop === activeElement);
    const edge = event.shiftKey ? first : last;
    if (!isInside || activeElement === edge) {
      event.preventDefault();
      (event.shiftKey ? last : first)?.focus();
    }
  }

  /** Keep the focus in the dialog, even if the pressed button is gone. */
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

  /** Place it above its button if there is more room, else below. */
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
}

/** Content of the popup, with a callback after its first render. */
function Drawn(props: {
  children: React.JSX.Element;
  onFirst: () => void;
}): React.JSX.Element {
  const { children, onFirst } = props;
  React.useEffect(onFirst, [onFirst]);
  return children;
}

/** Whether an event belongs to a dialog of JupyterLab, which is above the popup. */
function isInDialog({ target }: Event): boolean {
  return target instanceof Element && target.closest('.jp-Dialog') !== null;
}
