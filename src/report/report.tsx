import * as React from 'react';

import { Icon } from '../components/icon';
import { Sentence } from '../components/sentence';
import { isLooking } from './causes';
import { Details } from './details';
import { Failure } from './failure';
import { freedBytes, Outcome, outcomeTitle } from './outcome';
import { MoreRemedies } from './remedylist';
import type { IContext } from './state';
import { deviceLabel, title } from './title';

/** Number of reports on this page, for unique title ids. */
let count = 0;

/** Return a title id for a new report. */
export function newTitleId(): string {
  return `gpu-headroom-report-${++count}`;
}

/**
 * The out-of-memory report.
 *
 * Independent of notebooks: renders a report in a state and forwards button presses.
 */
export function Report(
  props: IContext & { titleId: string }
): React.JSX.Element {
  const { report, state, titleId, trans } = props;
  const { execution_count } = report;
  const runId = `${titleId}-run`;
  const released = freedBytes(state) > 0 ? state.released : null;
  const states = [
    report.simulated ? ' jp-mod-simulated' : '',
    isLooking(props) ? ' jp-mod-looking' : ''
  ];
  return (
    <div className="jp-GpuHeadroomReport">
      <section
        className={`jp-GpuHeadroomReport-section${states.join('')}`}
        aria-labelledby={
          execution_count === null ? titleId : `${titleId} ${runId}`
        }
        onPointerDown={keepPlace}
      >
        <header className="jp-GpuHeadroomReport-head">
          <Icon name={released ? 'check' : 'octagon'} />
          <h3
            id={titleId}
            className="jp-GpuHeadroomReport-title"
            tabIndex={-1}
            data-focus-key="title"
          >
            <Sentence
              text={
                released ? outcomeTitle(props, released) : title(props, report)
              }
            />
          </h3>
          {execution_count !== null && (
            // Execution counts distinguish cells that failed in the same way.
            <span id={runId} className="jp-GpuHeadroom-spoken">
              {trans.__('In [%1]', execution_count)}
            </span>
          )}
          <span className="jp-GpuHeadroomReport-device">
            {report.simulated && <Icon name="flask" />}
            {deviceLabel(props, report)}
          </span>
        </header>
        {released ? (
          <Outcome {...props} released={released} />
        ) : (
          <Failure {...props} />
        )}
        <MoreRemedies {...props} isFreed={released !== null} />
        <Details {...props} />
        <Provenance {...props} />
      </section>
    </div>
  );
}

/** One sentence in place of a report. */
export function ReportNotice({ text }: { text: string }): React.JSX.Element {
  return (
    <div className="jp-GpuHeadroomReport">
      <p className="jp-GpuHeadroomReport-notice">
        <Icon name="info" />
        {text}
      </p>
    </div>
  );
}

/**
 * Keep the notebook from activating the cell and scrolling, which would move the button
 * away from the pointer.
 */
function keepPlace(event: Pick<Event, 'preventDefault' | 'target'>): void {
  if (event.target instanceof Element && event.target.closest('button')) {
    event.preventDefault();
  }
}

/** Footer of a saved report: when it was made and how to get its buttons. */
function Provenance({
  report,
  state,
  trans
}: IContext): React.JSX.Element | null {
  if (state.trust !== 'saved') {
    return null;
  }
  const date = new Date(report.time_s * 1000);
  const format = { dateStyle: 'medium', timeStyle: 'short' } as const;
  const time = Number.isNaN(date.getTime())
    ? trans.__('an unknown time')
    : date.toLocaleString(undefined, format);
  const origin = trans.__('Saved output from %1.', time);
  return (
    <p className="jp-GpuHeadroomReport-provenance">
      {`${origin} ${trans.__('Run the cell again to get the buttons.')}`}
    </p>
  );
}
