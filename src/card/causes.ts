import { element, inline } from '../components/dom/element';
import { icon } from '../components/dom/icon';
import type { ICause } from '../protocol';
import { formatBytes } from '../text/format';
import { smallFold } from './fold';
import type { IContext } from './state';

/** Causes drawn besides the first. */
const MAX_FURTHER = 10;

/** A heading within the card. */
export function heading(text: string): HTMLElement {
  return element('h4', 'jp-GpuHeadroomCard-heading', text);
}

/**
 * Whether the measurement of a failure goes on. A card that nobody vouches for
 * is never completed, whatever it says.
 */
export function isLooking({
  report,
  state
}: Pick<IContext, 'report' | 'state'>): boolean {
  return report.looking && state.trust !== 'saved';
}

/**
 * Why it happened: the cause to act on first, and what holds as well.
 */
export function causes(context: IContext): HTMLElement[] {
  const { report, trans } = context;
  const looking = isLooking(context)
    ? element(
        'p',
        'jp-GpuHeadroomCard-looking',
        icon('clock'),
        trans.__('Looking further…')
      )
    : null;
  if (report.cause === null) {
    const none = trans.__('No single cause stands out.');
    return [looking ?? element('p', 'jp-GpuHeadroomCard-noCause', none)];
  }
  return [
    heading(trans.__('Most likely cause')),
    element('p', 'jp-GpuHeadroomCard-cause', ...said(context, report.cause)),
    also(context),
    looking
  ].filter(node => node !== null);
}

function said({ sentence }: IContext, { claim, evidence }: ICause): Node[] {
  return inline(`${sentence(claim)} ${sentence(evidence)}`);
}

function also(context: IContext): HTMLElement | null {
  const causes = context.report.further_causes.slice(0, MAX_FURTHER);
  if (causes.length === 0) {
    return null;
  }
  const items = causes.map(cause =>
    element(
      'li',
      '',
      element('span', '', ...said(context, cause)),
      cause.bytes === null
        ? null
        : element('strong', '', formatBytes(cause.bytes))
    )
  );
  const list = element('ul', 'jp-GpuHeadroomCard-also', ...items);
  list.setAttribute('role', 'list');
  const title = context.trans.__('Also (%1)', String(causes.length));
  return smallFold('also', title, list);
}
