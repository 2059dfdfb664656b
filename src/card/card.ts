import { element, inline } from '../components/dom/element';
import { icon } from '../components/dom/icon';
import type { IReleased, IReport } from '../protocol';
import type { IWords } from '../text/messages';
import { isLooking } from './causes';
import { details } from './details';
import { failure } from './failure';
import { freedBytes, outcome, outcomeTitle } from './outcome';
import { otherWays } from './remedylist';
import type { ICardState, IContext, IOffers, OnAction } from './state';
import { deviceLabel, title } from './title';

/** Numbers the cards of a page, so that each has a title of its own. */
let count = 0;

/**
 * The out-of-memory card in an element of the page.
 *
 * Knows nothing of notebooks: it draws a report in a state and passes presses
 * of buttons on. Drawing again keeps the focus and what was folded open.
 */
export class Card {
  constructor(
    readonly host: HTMLElement,
    private readonly _words: IWords,
    private readonly _offers: IOffers,
    private readonly _onAction: OnAction
  ) {
    this.host.classList.add('jp-GpuHeadroomCard');
  }

  /** Draw a report. */
  show(report: IReport, state: ICardState): void {
    const context = {
      ...this._words,
      report,
      state,
      offers: this._offers,
      onAction: this._onAction
    };
    this._replace(section(context, this._titleId));
  }

  /** Show one sentence instead of a report. */
  notice(sentence: string): void {
    this._replace(
      element('p', 'jp-GpuHeadroomCard-notice', icon('info'), sentence)
    );
  }

  private _replace(content: HTMLElement): void {
    const active = document.activeElement;
    const hadFocus = this.host.contains(active);
    const open = this._folds().filter(node => node.open);
    const keys = open.map(node => node.dataset.fold);
    this.host.replaceChildren(content);
    for (const node of this._folds()) {
      node.open = keys.includes(node.dataset.fold);
    }
    if (hadFocus && active instanceof HTMLElement) {
      this._restoreFocus(active.dataset.focusKey);
    }
  }

  private _folds(): HTMLDetailsElement[] {
    return [...this.host.querySelectorAll('details')];
  }

  /** To the same button; where it is gone, to the title that tells the result. */
  private _restoreFocus(key: string | undefined): void {
    const nodes = this.host.querySelectorAll<HTMLElement>('[data-focus-key]');
    const same = [...nodes].find(node => node.dataset.focusKey === key);
    const heading = this.host.querySelector<HTMLElement>('h3');
    (same ?? heading)?.focus({ preventScroll: true });
  }

  private readonly _titleId = `gpu-headroom-card-${++count}`;
}

function section(context: IContext, titleId: string): HTMLElement {
  const { report, state } = context;
  const released = freedBytes(state) > 0 ? state.released : null;
  const node = element(
    'section',
    [
      'jp-GpuHeadroomCard-section',
      report.simulated ? 'jp-mod-simulated' : '',
      isLooking(context) ? 'jp-mod-looking' : ''
    ]
      .filter(Boolean)
      .join(' '),
    head(context, titleId, released),
    ...(released
      ? [outcome(context, released), otherWays(context)]
      : failure(context)),
    details(context),
    provenance(context)
  );
  node.setAttribute('aria-labelledby', titleId);
  return node;
}

function head(
  context: IContext,
  titleId: string,
  freed: IReleased | null
): HTMLElement {
  const { report } = context;
  const heading = element(
    'h3',
    'jp-GpuHeadroomCard-title',
    ...inline(freed ? outcomeTitle(context, freed) : title(context, report))
  );
  heading.id = titleId;
  heading.tabIndex = -1;
  heading.dataset.focusKey = 'title';
  return element(
    'header',
    'jp-GpuHeadroomCard-head',
    icon(freed ? 'check' : 'octagon'),
    heading,
    element(
      'span',
      'jp-GpuHeadroomCard-device',
      report.simulated ? icon('flask') : null,
      deviceLabel(context, report)
    )
  );
}

/** Under a card that nobody vouches for: when it was made, how to get buttons. */
function provenance({ report, state, trans }: IContext): HTMLElement | null {
  if (state.trust !== 'saved') {
    return null;
  }
  const date = new Date(report.time_s * 1000);
  const format = { dateStyle: 'medium', timeStyle: 'short' } as const;
  const origin = Number.isNaN(date.getTime())
    ? trans.__('Saved output.')
    : trans.__('Saved output from %1.', date.toLocaleString(undefined, format));
  return element(
    'p',
    'jp-GpuHeadroomCard-provenance',
    `${origin} ${trans.__('Run the cell again to get the buttons.')}`
  );
}
