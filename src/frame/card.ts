import type { IReleased, IReport } from '../protocol';
import { details } from './details';
import { element, inline } from './element';
import { failure } from './failure';
import { icon } from './icons';
import { freedBytes, outcome, outcomeTitle } from './outcome';
import { otherWays } from './remedylist';
import type { ICardState, IContext, IWords, OnAction } from './state';
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
    private readonly _onAction: OnAction
  ) {
    this.host.classList.add('jp-GpuHeadroomCard');
  }

  /**
   * Draw a report.
   */
  show(report: IReport, state: ICardState): void {
    const context: IContext = {
      words: this._words,
      state,
      onAction: this._onAction
    };
    this._replace(section(context, report, this._titleId));
  }

  /**
   * Show one sentence instead of a report.
   */
  notice(sentence: string): void {
    this._replace(
      element('p', 'jp-GpuHeadroomCard-notice', icon('info'), sentence)
    );
  }

  private _replace(content: HTMLElement): void {
    const focused = this._focusKey();
    const open = new Set(
      this._folds()
        .filter(f => f.open)
        .map(foldKey)
    );
    this.host.replaceChildren(content);
    for (const node of this._folds()) {
      node.open = open.has(foldKey(node));
    }
    if (focused !== null) {
      this._restoreFocus(focused);
    }
  }

  private _folds(): HTMLDetailsElement[] {
    return [...this.host.querySelectorAll('details')];
  }

  private _focusKey(): string | null {
    const active = document.activeElement;
    return active instanceof HTMLElement && this.host.contains(active)
      ? (active.dataset.focusKey ?? '')
      : null;
  }

  /** To the same button; where it is gone, to the title that tells the result. */
  private _restoreFocus(key: string): void {
    const nodes = this.host.querySelectorAll<HTMLElement>('[data-focus-key]');
    const same = [...nodes].find(node => node.dataset.focusKey === key);
    const heading = this.host.querySelector<HTMLElement>('h3');
    (same ?? heading)?.focus({ preventScroll: true });
  }

  private readonly _titleId = `gpu-headroom-card-${++count}`;
}

function foldKey(node: HTMLDetailsElement): string {
  return node.dataset.fold ?? '';
}

function section(
  context: IContext,
  report: IReport,
  titleId: string
): HTMLElement {
  const { released } = context.state;
  const freed = released !== null && freedBytes(context) > 0;
  const node = element(
    'section',
    `jp-GpuHeadroomCard-section${report.simulated ? ' jp-mod-simulated' : ''}`,
    head(context, report, titleId, freed ? released : null),
    ...(freed
      ? [outcome(context, report, released), otherWays(context, report)]
      : failure(context, report)),
    details(context, report),
    provenance(context, report)
  );
  node.setAttribute('aria-labelledby', titleId);
  return node;
}

function head(
  context: IContext,
  report: IReport,
  titleId: string,
  freed: IReleased | null
): HTMLElement {
  const heading = element(
    'h3',
    'jp-GpuHeadroomCard-title',
    ...(freed
      ? outcomeTitle(context, freed)
      : inline(title(context.words, report)))
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
      deviceLabel(context.words, report)
    )
  );
}

/** Under a card that nobody vouches for: when it was made, how to get buttons. */
function provenance(
  { words, state }: IContext,
  report: IReport
): HTMLElement | null {
  if (state.trust !== 'saved') {
    return null;
  }
  const date = new Date(report.time_s * 1000);
  const { trans } = words;
  const origin = Number.isNaN(date.getTime())
    ? trans.__('Saved output.')
    : trans.__(
        'Saved output from %1.',
        date.toLocaleString(undefined, {
          dateStyle: 'medium',
          timeStyle: 'short'
        })
      );
  return element(
    'p',
    'jp-GpuHeadroomCard-provenance',
    `${origin} ${trans.__('Run the cell again to get the buttons.')}`
  );
}
