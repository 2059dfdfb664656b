import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import { Button } from '../components/button';
import { Icon, type IconName } from '../components/icon';
import { Drawing } from '../lab/drawing';
import type { IShortage } from '../memory/shortage';
import type { IOom } from '../protocol';
import { formatBytes, formatPrompt } from '../text/format';
import type { IBadge } from './badge';
import { rowsOf, textOf, warnOf } from './badgewords';

const ICONS: Partial<Record<IBadge['kind'], IconName>> = {
  oom: 'octagon',
  grows: 'triangle'
};

/**
 * Offer to free memory without loss before a run, after which the cell is expected to
 * fit.
 */
export interface IOffer {
  readonly bytes: number;
  readonly accept: () => void;
}

/** The row below a cell's output: the quiet line and the badge, both optional. */
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
   * Render the row; it is hidden if there is nothing to show.
   *
   * @param oom - the failure of this cell, if known
   * @param offer - what would make up for the shortage
   */
  draw(
    badge: IBadge | null,
    shortage: IShortage | null,
    oom: IOom | null,
    offer: IOffer | null = null
  ): void {
    const drawn = JSON.stringify([badge, shortage, oom, offer?.bytes]);
    if (drawn === this._drawn) {
      return;
    }
    this._drawn = drawn;
    this._drawing.draw(
      <>
        {shortage && (
          <span className="jp-GpuHeadroom-shortage">
            {warnOf(shortage, this._trans)}
            {offer && (
              <Button
                label={this._trans.__(
                  'Free %1 first',
                  formatBytes(offer.bytes)
                )}
                onPress={offer.accept}
              />
            )}
          </span>
        )}
        {badge && (
          <Badge
            badge={badge}
            oom={oom}
            onPress={this._open}
            trans={this._trans}
          />
        )}
      </>
    );
    this.setHidden(!badge && !shortage);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._drawing.dispose();
      super.dispose();
    }
  }

  private readonly _drawing = new Drawing(this.node);
  private _drawn = '';
}

interface IBadgeProps {
  badge: IBadge;
  oom: IOom | null;
  onPress: () => void;
  trans: TranslationBundle;
}

function Badge(props: IBadgeProps): React.JSX.Element {
  const { badge, oom, onPress, trans } = props;
  const { strong, rest } = textOf(badge, oom, trans);
  const icon = ICONS[badge.kind];
  const edited = badge.isEdited ? ' jp-mod-edited' : '';
  return (
    <button
      type="button"
      className={`jp-GpuHeadroom-badge jp-mod-${badge.kind}${edited}`}
      onClick={onPress}
    >
      {icon && <Icon name={icon} />}
      <span>
        {strong && <strong>{strong}</strong>}
        {strong && rest ? ` · ${rest}` : rest}
        {badge.isEdited && ` · ${trans.__('before the edit')}`}
      </span>
      {/* Shown on hover and focus; part of the button, so that it is read with it. */}
      <span className="jp-GpuHeadroom-badgeDetails">
        <strong>{formatPrompt(badge.cell.execution_count)}</strong>
        {rowsOf(badge, trans).map(([label, value]) => (
          <span key={label} className="jp-GpuHeadroom-badgeDetail">
            <span>{label}</span>
            <span>{value}</span>
          </span>
        ))}
      </span>
    </button>
  );
}
