import * as React from 'react';

import { Sentence } from '../components/sentence';
import { fill } from '../text/fill';
import { formatBytes } from '../text/format';
import { Causes } from './causes';
import { Composition } from './composition';
import { FirstRemedies } from './remedylist';
import type { IContext } from './state';
import { whereItFailed } from './worker';

/** Maximum number of variables named in the line about the traceback. */
const MAX_VARIABLES = 4;

/** Body of the report before anything is freed: what happened, why, and what to do. */
export function Failure(context: IContext): React.JSX.Element {
  const { report, trans } = context;
  return (
    <div className="jp-GpuHeadroomReport-body">
      <Composition
        parts={report.parts}
        moment={trans.__('At the moment of failure')}
        trans={trans}
      />
      <Where {...context} />
      <Traceback {...context} />
      <Causes {...context} />
      <FirstRemedies {...context} />
    </div>
  );
}

function Where(context: IContext): React.JSX.Element | null {
  const text = whereItFailed(context, context.report);
  return text ? (
    <p className="jp-GpuHeadroomReport-worker">
      <Sentence text={text} />
    </p>
  ) : null;
}

function Traceback({ report, trans }: IContext): React.JSX.Element | null {
  const size = report.traceback_bytes;
  if (!size) {
    return null;
  }
  const variables = report.traceback_variables
    .slice(0, MAX_VARIABLES)
    .map(held => `\`${held.name}\` ${formatBytes(held.bytes)}`)
    .join(', ');
  const template = variables
    ? trans.__(
        'The traceback of this error still keeps {traceback_bytes} in use: {variables}.'
      )
    : trans.__(
        'The traceback of this error still keeps {traceback_bytes} in use.'
      );
  return (
    <p className="jp-GpuHeadroomReport-traceback">
      <Sentence text={fill(template, { traceback_bytes: size, variables })} />
    </p>
  );
}
