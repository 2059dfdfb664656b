import { formatBytes } from '../format';
import type { IReleased, IRemedy, IReport } from '../protocol';
import type { ISegment } from './bar';
import { bar, listParts } from './bar';
import { button } from './button';
import { element, inline } from './element';
import { shortFixLabel } from './fixlabels';
import { icon } from './icons';
import { progress, stateOf } from './progress';
import type { IContext } from './state';
import { title } from './title';

/**
 * Bytes that the last release gave back for this report; 0 where none did.
 */
export function freedBytes({ state }: IContext): number {
  const { released } = state;
  return released?.status === 'done'
    ? Math.max(released.freed_bytes ?? 0, 0)
    : 0;
}

/**
 * The title after a release: what came back and what there is now.
 */
export function outcomeTitle(context: IContext, released: IReleased): Node[] {
  const { trans } = context.words;
  const freed = formatBytes(freedBytes(context));
  const headroom = released.headroom_after_bytes;
  return inline(
    headroom === null
      ? trans.__('**%1 freed**', freed)
      : trans.__(
          '**%1 freed** — headroom is now %2',
          freed,
          formatBytes(headroom)
        )
  );
}

/**
 * What the release changed, whether the cell would fit now, and the next step.
 */
export function outcome(
  context: IContext,
  report: IReport,
  released: IReleased
): HTMLElement {
  const { trans } = context.words;
  const before =
    report.available_bytes === null || report.cached_bytes === null
      ? released.headroom_before_bytes
      : report.available_bytes + report.cached_bytes;
  return element(
    'div',
    'jp-GpuHeadroomCard-outcome',
    occasion(context, report),
    unasked(context, released),
    comparison(context, trans.__('At failure'), report.parts, before),
    comparison(
      context,
      trans.__('Now'),
      partsNow(report, released),
      released.headroom_after_bytes
    ),
    verdict(context, report, released),
    nextStep(context, report)
  );
}

/** What it was freed for: with the memory gone, the failure still has its cause. */
function occasion({ words }: IContext, report: IReport): HTMLElement {
  const claim = report.cause && words.sentence(report.cause.claim);
  return element(
    'p',
    'jp-GpuHeadroomCard-note jp-GpuHeadroomCard-occasion',
    ...inline(`${title(words, report)}. ${claim ?? ''}`.trim())
  );
}

/** Freed without a press: what asked for it, and what it cost. */
function unasked(
  { words }: IContext,
  { automatic }: IReleased
): HTMLElement | null {
  return automatic
    ? element(
        'p',
        'jp-GpuHeadroomCard-note jp-GpuHeadroomCard-occasion',
        ...inline(
          words.trans.__(
            'Freed at once, as your settings ask: `%debug` for this error is lost.'
          )
        )
      )
    : null;
}

function comparison(
  { words }: IContext,
  label: string,
  parts: readonly ISegment[],
  headroom: number | null
): HTMLElement {
  return element(
    'div',
    'jp-GpuHeadroomCard-comparison',
    element('span', '', label),
    bar(parts, `${label}: ${listParts(words, parts)}`, null),
    element(
      'span',
      'jp-GpuHeadroomCard-comparisonNumber',
      headroom === null
        ? words.trans.__('headroom not measured')
        : words.trans.__('headroom %1', formatBytes(headroom))
    )
  );
}

/** The bar after a release; by kind nothing was measured again. */
function partsNow(report: IReport, released: IReleased): ISegment[] {
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

/**
 * What the failed cell needs to get as far as it got, and one request more.
 */
function neededBytes(report: IReport): number | null {
  return report.traceback_bytes === null || report.requested_bytes === null
    ? null
    : report.traceback_bytes + report.requested_bytes;
}

function verdict(
  { words }: IContext,
  report: IReport,
  released: IReleased
): HTMLElement | null {
  const { trans } = words;
  if (report.fits_after_free !== false) {
    return null;
  }
  const needed = neededBytes(report);
  const headroom = released.headroom_after_bytes;
  const sentence =
    needed !== null && headroom !== null && needed > headroom
      ? trans.__(
          'Unchanged, this cell needs at least %1 and would probably fail again.',
          formatBytes(needed)
        )
      : trans.__('Unchanged, this cell would probably fail again.');
  return element(
    'p',
    'jp-GpuHeadroomCard-verdict',
    icon('info'),
    element('span', '', ...inline(sentence + promise(words, report)))
  );
}

/** A further sentence: what the cell would need with the fix; empty: not known. */
function promise({ trans }: IContext['words'], report: IReport): string {
  const fix = report.remedies.find(remedy => remedy.kind === 'edit');
  const needed = neededBytes(report);
  const setting = fix?.diff?.sets ?? null;
  const saved = fix?.effect_bytes ?? null;
  // A fix that is estimated to save all that is needed was measured on too little.
  return setting === null ||
    needed === null ||
    saved === null ||
    saved >= needed
    ? ''
    : ` ${trans.__(
        'With `%1`: about %2.',
        setting,
        formatBytes(needed - saved)
      )}`;
}

/** One primary button: the fix where the cell needs one, else running it again. */
function nextStep(context: IContext, report: IReport): HTMLElement | null {
  if (context.state.trust !== 'confirmed' || !context.state.editable) {
    return null;
  }
  const fix = report.remedies.find(remedy => remedy.kind === 'edit') ?? null;
  const status = fix ? stateOf(context, fix).status : 'ready';
  const label =
    fix === null || status === 'applied' || status === 'changed'
      ? null
      : shortFixLabel(context, report, fix);
  const fits = report.fits_after_free !== false;
  const fixFirst = label !== null && report.fits_after_free !== true;
  const buttons = [
    fix && label !== null ? fixButton(context, fix, label, fixFirst) : null,
    status === 'applied' ? null : rerunButton(context, !fixFirst && fits)
  ];
  return element(
    'div',
    'jp-GpuHeadroomCard-next',
    element(
      'div',
      'jp-GpuHeadroom-actions',
      ...(fixFirst ? buttons : buttons.reverse())
    ),
    fix ? progress(context, fix) : null
  );
}

function fixButton(
  context: IContext,
  fix: IRemedy,
  label: string,
  primary: boolean
): HTMLElement {
  const { status } = stateOf(context, fix);
  return button(context, {
    label,
    action: 'apply-and-run',
    remedyId: fix.id,
    primary,
    disabled: status === 'running' || status === 'waiting'
  });
}

function rerunButton(context: IContext, primary: boolean): HTMLElement {
  return button(context, {
    label: context.words.trans.__('Re-run cell'),
    action: 'run',
    primary
  });
}
