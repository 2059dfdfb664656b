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

/** Cards of this page; each has a title of its own. */
let count = 0;

/** The id of the title of a new card. */
export function newTitleId(): string {
  return `gpu-headroom-card-${++count}`;
}

/**
 * The out-of-memory card.
 *
 * Knows nothing of notebooks: it shows a report in a state and passes presses of
 * buttons on.
 */
export function Card(props: IContext & { titleId: string }): React.JSX.Element {
  const { report, state, titleId, trans } = props;
  const { execution_count } = report;
  const runId = `${titleId}-run`;
  const released = freedBytes(state) > 0 ? state.released : null;
  const states = [
    report.simulated ? ' jp-mod-simulated' : '',
    isLooking(props) ? ' jp-mod-looking' : ''
  ];
  return (
    <div className="jp-GpuHeadroomCard">
      <section
        className={`jp-GpuHeadroomCard-section${states.join('')}`}
        aria-labelledby={
          execution_count === null ? titleId : `${titleId} ${runId}`
        }
        onPointerDown={keepPlace}
      >
        <header className="jp-GpuHeadroomCard-head">
          <Icon name={released ? 'check' : 'octagon'} />
          <h3
            id={titleId}
            className="jp-GpuHeadroomCard-title"
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
            // Two cells may have failed alike: by their numbers they are told apart.
            <span id={runId} className="jp-GpuHeadroom-spoken">
              {trans.__('In [%1]', execution_count)}
            </span>
          )}
          <span className="jp-GpuHeadroomCard-device">
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

/** One sentence instead of a card. */
export function CardNotice({ text }: { text: string }): React.JSX.Element {
  return (
    <div className="jp-GpuHeadroomCard">
      <p className="jp-GpuHeadroomCard-notice">
        <Icon name="info" />
        {text}
      </p>
    </div>
  );
}

/** A notebook would make the cell active and scroll: a press would end beside its button. */
function keepPlace(event: Pick<Event, 'preventDefault' | 'target'>): void {
  if (event.target instanceof Element && event.target.closest('button')) {
    event.preventDefault();
  }
}

/** Under a card that nobody vouches for: when it was made, how to get buttons. */
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
  const origin = Number.isNaN(date.getTime())
    ? trans.__('Saved output.')
    : trans.__('Saved output from %1.', date.toLocaleString(undefined, format));
  return (
    <p className="jp-GpuHeadroomCard-provenance">
      {`${origin} ${trans.__('Run the cell again to get the buttons.')}`}
    </p>
  );
}
