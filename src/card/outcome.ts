import { bar } from '../components/dom/bar';
import { element, inline } from '../components/dom/element';
import { icon } from '../components/dom/icon';
import type { IReleased, IRemedy, IReport } from '../protocol';
import { formatBytes } from '../text/format';
import { type IPart, listParts, named } from '../text/parts';
import { buttons } from './button';
import { progress } from './progress';
import type { ICardState, IContext } from './state';
import { title } from './title';

/**
 * Bytes that the last release gave back for this report; 0 where none did.
 */
export function freedBytes({ released }: ICardState): number {
  return released?.status === 'done'
    ? Math.max(released.freed_bytes ?? 0, 0)
    : 0;
}

/**
 * The title after a release: what came back and what there is now.
 */
export function outcomeTitle(
  { state, trans }: IContext,
  { headroom_after_bytes: headroom }: IReleased
): string {
  const freed = formatBytes(freedBytes(state));
  return headroom === null
    ? trans.__('**%1 freed**', freed)
    : trans.__(
        '**%1 freed** — headroom is now %2',
        freed,
        formatBytes(headroom)
      );
}

/**
 * What the release changed, whether the cell would fit now, and the next step.
 */
export function outcome(context: IContext, released: IReleased): HTMLElement {
  const { report, sentence, state, trans } = context;
  const { available_bytes, cached_bytes, cause, parts } = report;
  const before =
    available_bytes === null || cached_bytes === null
      ? released.headroom_before_bytes
      : available_bytes + cached_bytes;
  const now = released.headroom_after_bytes;
  const claim = cause ? sentence(cause.claim) : '';
  return element(
    'div',
    'jp-GpuHeadroomCard-outcome',
    // With the memory gone, the failure still has its cause.
    occasion(`${title(context, report)}. ${claim}`.trim()),
    released.automatic
      ? occasion(
          trans.__(
            'Freed at once, as your settings ask: `%debug` for this error is lost.'
          )
        )
      : null,
    comparison(context, trans.__('At failure'), parts, before),
    comparison(context, trans.__('Now'), partsNow(report, released), now),
    verdict(context, now),
    state.trust === 'confirmed' ? nextStep(context) : null
  );
}

function nextStep(context: IContext): HTMLElement | null {
  const next = context.offers.nextStep(context, fixOf(context.report));
  return (
    next &&
    element(
      'div',
      'jp-GpuHeadroomCard-next',
      next.text ? element('p', '', next.text) : null,
      next.buttons.length > 0 ? buttons(context, next.buttons) : null,
      next.fix && progress(context, next.fix)
    )
  );
}

/** What it was freed for, and what had asked for it. */
function occasion(text: string): HTMLElement {
  const classes = 'jp-GpuHeadroomCard-note jp-GpuHeadroomCard-occasion';
  return element('p', classes, ...inline(text));
}

function comparison(
  { trans }: IContext,
  label: string,
  parts: readonly IPart[],
  headroom: number | null
): HTMLElement {
  const text =
    headroom === null
      ? trans.__('headroom not measured')
      : trans.__('headroom %1', formatBytes(headroom));
  const segments = named(parts, trans);
  return element(
    'div',
    'jp-GpuHeadroomCard-comparison',
    element('span', '', label),
    bar(segments, `${label}: ${listParts(segments)}`, false),
    element('span', 'jp-GpuHeadroomCard-comparisonNumber', text)
  );
}

/** The bar after a release; by kind nothing was measured again. */
function partsNow(report: IReport, released: IReleased): IPart[] {
  const { capacity_bytes: capacity } = report;
  const { in_use_bytes: inUse, headroom_after_bytes: headroom } = released;
  if (capacity === null || inUse === null || headroom === null) {
    return [];
  }
  return [
    { kind: 'outside', bytes: Math.max(capacity - inUse - headroom, 0) },
    { kind: 'in_use', bytes: inUse },
    { kind: 'free', bytes: headroom }
  ];
}

function verdict(
  { report, trans }: IContext,
  headroom: number | null
): HTMLElement | null {
  if (report.fits_after_free !== false) {
    return null;
  }
  const { requested_bytes, traceback_bytes } = report;
  // To get as far as it got, and one request more.
  const needed =
    traceback_bytes === null || requested_bytes === null
      ? null
      : traceback_bytes + requested_bytes;
  const sentences = [
    needed !== null && headroom !== null && needed > headroom
      ? trans.__(
          'Unchanged, this cell needs at least %1 and would probably fail again.',
          formatBytes(needed)
        )
      : trans.__('Unchanged, this cell would probably fail again.')
  ];
  const fix = fixOf(report);
  const setting = fix?.diffs[0]?.sets ?? null;
  const saved = fix?.effect_bytes ?? null;
  // A fix that is estimated to save all that is needed was measured on too little.
  if (setting !== null && needed !== null && saved !== null && saved < needed) {
    const left = formatBytes(needed - saved);
    sentences.push(trans.__('With `%1`: about %2.', setting, left));
  }
  return element(
    'p',
    'jp-GpuHeadroomCard-verdict',
    icon('info'),
    element('span', '', ...inline(sentences.join(' ')))
  );
}

function fixOf({ remedies }: IReport): IRemedy | null {
  return remedies.find(({ kind }) => kind === 'edit') ?? null;
}
