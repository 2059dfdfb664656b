import * as React from 'react';

import { Icon } from '../components/icon';
import { Sentence } from '../components/sentence';
import type { ICause } from '../protocol';
import { formatBytes } from '../text/format';
import { Fold } from './fold';
import type { IContext } from './state';

/** Maximum number of causes drawn besides the first. */
const MAX_FURTHER = 10;

/** A heading within the report. */
export function Heading({ text }: { text: string }): React.JSX.Element {
  return <h4 className="jp-GpuHeadroomReport-heading">{text}</h4>;
}

/**
 * Whether the measurement of a failure is still in progress. A saved report is never
 * completed, even if it says that it is in progress.
 */
export function isLooking({
  report,
  state
}: Pick<IContext, 'report' | 'state'>): boolean {
  return report.looking && state.trust !== 'saved';
}

/** Causes of the failure: the one to act on first, then the others that apply. */
export function Causes(context: IContext): React.JSX.Element {
  const { report, trans } = context;
  return (
    <>
      {report.cause ? (
        <>
          <Heading text={trans.__('Most likely cause')} />
          <p className="jp-GpuHeadroomReport-cause">
            <Said {...context} cause={report.cause} />
          </p>
          <Also {...context} />
        </>
      ) : (
        !isLooking(context) && (
          <p className="jp-GpuHeadroomReport-noCause">
            {trans.__('No single cause stands out.')}
          </p>
        )
      )}
      {isLooking(context) && (
        <p className="jp-GpuHeadroomReport-looking">
          <Icon name="clock" />
          {trans.__('Looking further…')}
        </p>
      )}
    </>
  );
}

function Said(props: IContext & { cause: ICause }): React.JSX.Element {
  const { cause, sentence } = props;
  return (
    <Sentence text={`${sentence(cause.claim)} ${sentence(cause.evidence)}`} />
  );
}

function Also(context: IContext): React.JSX.Element | null {
  const causes = context.report.further_causes.slice(0, MAX_FURTHER);
  if (causes.length === 0) {
    return null;
  }
  const title = `${context.trans.__('Also')} (${causes.length})`;
  return (
    <Fold name="also" title={title} isSmall opened={context.opened}>
      <ul className="jp-GpuHeadroomReport-also" role="list">
        {causes.map((cause, index) => (
          <li key={index}>
            <span>
              <Said {...context} cause={cause} />
            </span>
            {cause.bytes !== null && (
              <strong>{formatBytes(cause.bytes)}</strong>
            )}
          </li>
        ))}
      </ul>
    </Fold>
  );
}
