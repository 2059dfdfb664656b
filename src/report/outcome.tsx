import * as React from 'react';

import { Icon } from '../components/icon';
import { Sentence } from '../components/sentence';
import type { IReleased, IRemedy, IReport } from '../protocol';
import { formatBytes } from '../text/format';
import type { IPart } from '../text/parts';
import { PartsBar } from './composition';
import { Progress } from './progress';
import { ReportButtons } from './reportbuttons';
import type { IReportState, IContext } from './state';
import { title } from './title';

/** Bytes freed by the last release for this report; 0 if there was none. */
export function freedBytes({ released }: IReportState): number {
  return released?.status === 'done'
    ? Math.max(released.freed_bytes ?? 0, 0)
    : 0;
}

/** Title after a release: the memory freed and the headroom now. */
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
 * Result of a release: what changed, whether the cell would fit now, and the next step.
 */
export function Outcome(
  props: IContext & { released: IReleased }
): React.JSX.Element {
  const { released, report, sentence, state, trans } = props;
  const { available_bytes, cached_bytes, cause, parts } = report;
  const before =
    available_bytes === null || cached_bytes === null
      ? released.headroom_before_bytes
      : available_bytes + cached_bytes;
  const now = released.headroom_after_bytes;
  const claim = cause ? sentence(cause.claim) : '';
  return (
    <div className="jp-GpuHeadroomReport-outcome">
      {/* The memory is free, but the failure still has its cause. */}
      <Occasion text={`${title(props, report)}. ${claim}`.trim()} />
      {released.automatic && (
        <Occasion
          text={trans.__(
            'Freed automatically, as set in the settings. You lose `%debug` for this error.'
          )}
        />
      )}
      <Comparison
        {...props}
        moment={trans.__('At failure')}
        parts={parts}
        headroom={before}
      />
      <Comparison
        {...props}
        moment={trans.__('Now')}
        parts={partsNow(report, released)}
        headroom={now}
      />
      <Verdict {...props} headroom={now} />
      {state.trust === 'confirmed' && <NextStep {...props} />}
    </div>
  );
}

function NextStep(context: IContext): React.JSX.Element | null {
  const next = context.offers.nextStep(context, fixOf(context.report));
  return (
    next && (
      <div className="jp-GpuHeadroomReport-next">
        {next.text && <p>{next.text}</p>}
        {next.buttons.length > 0 && (
          <div className="jp-GpuHeadroom-actions">
            <ReportButtons {...context} buttons={next.buttons} />
          </div>
        )}
        {next.fix && <Progress {...context} remedy={next.fix} />}
      </div>
    )
  );
}

/** The reason for the release and what requested it. */
function Occasion({ text }: { text: string }): React.JSX.Element {
  return (
    <p className="jp-GpuHeadroomReport-note jp-GpuHeadroomReport-occasion">
      <Sentence text={text} />
    </p>
  );
}

function Comparison(
  props: IContext & {
    moment: string;
    parts: readonly IPart[];
    headroom: number | null;
  }
): React.JSX.Element {
  const { headroom, moment, parts, trans } = props;
  return (
    <div className="jp-GpuHeadroomReport-comparison">
      <span>{moment}</span>
      <PartsBar parts={parts} moment={moment} size="wide" trans={trans} />
      <span className="jp-GpuHeadroomReport-comparisonNumber">
        {headroom === null
          ? trans.__('headroom not measured')
          : trans.__('headroom %1', formatBytes(headroom))}
      </span>
    </div>
  );
}

/** Parts of the bar after a release; kinds of memory are not measured again. */
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

function Verdict({
  headroom,
  report,
  trans
}: IContext & { headroom: number | null }): React.JSX.Element | null {
  if (report.fits_after_free !== false) {
    return null;
  }
  const { requested_bytes, traceback_bytes } = report;
  // Memory that the failed run retained, plus the request that failed.
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
  // No number if the estimate exceeds what is needed: it was measured on too little.
  if (setting !== null && needed !== null && saved !== null && saved < needed) {
    const left = formatBytes(needed - saved);
    sentences.push(trans.__('With `%1`: about %2.', setting, left));
  }
  return (
    <p className="jp-GpuHeadroomReport-verdict">
      <Icon name="info" />
      <span>
        <Sentence text={sentences.join(' ')} />
      </span>
    </p>
  );
}

function fixOf({ remedies }: IReport): IRemedy | null {
  return remedies.find(({ kind }) => kind === 'edit') ?? null;
}
