import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { element } from '../components/dom/element';
import { icon, type IconName } from '../components/dom/icon';
import type { IOom } from '../protocol';
import { formatPrompt } from '../text/format';
import type { IBadge, IShortage } from './badge';
import { rowsOf, textOf, warnOf } from './badgewords';

const ICONS: Partial<Record<IBadge['kind'], IconName>> = {
  oom: 'octagon',
  grows: 'triangle'
};

/**
 * The row below a cell's output: the quiet line and the badge, both optional.
 */
export class BadgeView extends Widget {
  constructor(
    private readonly _trans: TranslationBundle,
    /** Show more about the cell. */
    private readonly _open: () => void
  ) {
    super();
    this.addClass('jp-GpuHeadroom-badgeRow');
    this.hide();
  }

  /**
   * Show this; nothing at all where there is nothing to say.
   *
   * @param oom - the failure of this cell, where it is known
   */
  draw(
    badge: IBadge | null,
    shortage: IShortage | null,
    oom: IOom | null
  ): void {
    const drawn = JSON.stringify([badge, shortage, oom]);
    if (drawn === this._drawn) {
      return;
    }
    this._drawn = drawn;
    const hadFocus = this.node.contains(document.activeElement);
    this.node.replaceChildren(
      ...(shortage ? [this._quietLine(shortage)] : []),
      ...(badge ? [this._badge(badge, oom)] : [])
    );
    this.setHidden(!badge && !shortage);
    if (hadFocus) {
      this.node.querySelector('button')?.focus();
    }
  }

  private _quietLine(shortage: IShortage): HTMLElement {
    const sentence = warnOf(shortage, this._trans);
    return element('span', 'jp-GpuHeadroom-shortage', sentence);
  }

  private _badge(badge: IBadge, oom: IOom | null): HTMLElement {
    const { strong, rest } = textOf(badge, oom, this._trans);
    const shape = ICONS[badge.kind];
    const button = element(
      'button',
      `jp-GpuHeadroom-badge jp-mod-${badge.kind}`,
      shape ? icon(shape) : null,
      strong ? element('strong', '', strong) : null,
      element('span', '', strong ? ` · ${rest}` : rest),
      this._details(badge)
    );
    button.type = 'button';
    button.addEventListener('click', this._open);
    return button;
  }

  /** Seen on hover and focus; part of the button, so that it is read with it. */
  private _details(badge: IBadge): HTMLElement {
    const count = badge.cell.execution_count;
    const rows = rowsOf(badge, this._trans).map(([label, value]) =>
      element(
        'span',
        'jp-GpuHeadroom-badgeDetail',
        element('span', '', label),
        element('span', '', value)
      )
    );
    const title = element('strong', '', formatPrompt(count));
    return element('span', 'jp-GpuHeadroom-badgeDetails', title, ...rows);
  }

  private _drawn = '';
}
