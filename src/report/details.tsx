import * as React from 'react';

import { Sentence } from '../components/sentence';
import type { IDetail } from '../protocol';
import { formatBytes } from '../text/format';
import { Fold } from './fold';
import { ReportButtons } from './reportbuttons';
import type { IContext } from './state';
import { listVersions } from './versions';

/** Maximum number of table rows. */
const MAX_ROWS = 60;

/** The numbers behind the report, each with its source. */
export function Details(context: IContext): React.JSX.Element {
  const { offers, report, state, trans } = context;
  const buttons = offers.inDetails(context);
  const hasNumbers = report.details.length > 0;
  const versions = listVersions(report);
  return (
    <Fold
      name="details"
      opened={context.opened}
      title={trans.__('Details')}
      hint={hasNumbers ? trans.__('allocator numbers and their sources') : ''}
    >
      {hasNumbers && <Table {...context} />}
      {versions && (
        <p className="jp-GpuHeadroomReport-note jp-mod-versions">{versions}</p>
      )}
      {report.simulated && (
        <p className="jp-GpuHeadroomReport-note">
          {trans.__(
            "Simulated GPU: the numbers come from a model of PyTorch's allocator."
          )}
        </p>
      )}
      {buttons.length > 0 && (
        <div className="jp-GpuHeadroomReport-foldActions jp-GpuHeadroom-actions">
          <ReportButtons {...context} buttons={buttons} />
        </div>
      )}
      {state.said !== null && (
        <p className="jp-GpuHeadroomReport-note">{state.said}</p>
      )}
    </Fold>
  );
}

function Table(context: IContext): React.JSX.Element {
  const { report, trans } = context;
  return (
    <table className="jp-GpuHeadroomReport-table">
      <thead>
        <tr>
          <th scope="col">{trans.__('At the moment of failure')}</th>
          <th scope="col">{trans.__('Size')}</th>
          <th scope="col">{trans.__('Source')}</th>
        </tr>
      </thead>
      <tbody>
        {report.details.slice(0, MAX_ROWS).map((detail, index) => (
          <Row key={index} {...context} detail={detail} />
        ))}
      </tbody>
    </table>
  );
}

function Row(props: IContext & { detail: IDetail }): React.JSX.Element {
  const { detail, sentence, trans } = props;
  const { bytes, label, source } = detail;
  return (
    <tr>
      <td>
        <Sentence text={sentence(label)} />
      </td>
      <td className="jp-GpuHeadroomReport-number">
        {bytes === null ? trans.__('not measured') : formatBytes(bytes, 2)}
      </td>
      <td className="jp-GpuHeadroomReport-source">
        <Sentence text={sentence(source)} />
      </td>
    </tr>
  );
}
