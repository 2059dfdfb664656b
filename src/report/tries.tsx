import * as React from 'react';

import { Icon } from '../components/icon';
import { Sentence } from '../components/sentence';
import { Verdict } from '../components/verdict';
import type { IRemedy } from '../protocol';
import { own } from '../text/own';
import { ReportButtons } from './reportbuttons';
import type { IReportState, IContext } from './state';

/**
 * Remedies reordered by the results of trying them. Edits that failed come last;
 * remedies that are not edits or were not tried keep their place.
 */
export function triedFirst(
  remedies: readonly IRemedy[],
  { tried }: IReportState
): readonly IRemedy[] {
  if (!tried || tried.isGoing) {
    return remedies;
  }
  const rank = ({ id }: IRemedy): number => {
    const fits = own(tried.byRemedy, id)?.fits;
    return fits === true ? 0 : fits === false ? 2 : 1;
  };
  const edits = remedies.filter(({ kind }) => kind === 'edit');
  edits.sort((a, b) => rank(a) - rank(b));
  return remedies.map(a => (a.kind === 'edit' ? (edits.shift() ?? a) : a));
}

/** Button to try the edits on a simulated GPU, and the progress of that. */
export function Tries(context: IContext): React.JSX.Element | null {
  const { offers, report, state } = context;
  const isShown = report.remedies.some(({ kind }) => kind === 'edit');
  const buttons =
    isShown && !report.sticky_error ? offers.forEdits(context) : [];
  const text = state.tried?.text ?? '';
  return buttons.length === 0 && text === '' ? null : (
    <div className="jp-GpuHeadroomReport-progress" role="status">
      {text !== '' && (
        <>
          <Icon name="flask" />
          <span>
            <Sentence text={text} />
          </span>
        </>
      )}
      <ReportButtons {...context} buttons={buttons} />
    </div>
  );
}

/** Result of trying one edit. */
export function TriedEdit(
  props: IContext & { remedy: IRemedy }
): React.JSX.Element | null {
  const { remedy, sentence, state, trans } = props;
  const tried = state.tried && own(state.tried.byRemedy, remedy.id);
  if (!tried) {
    return null;
  }
  const verdict = sentence(tried.message);
  const text =
    tried.number === null
      ? trans.__('Tried on a simulated GPU: %1', verdict)
      : trans.__('Tried on a simulated GPU with %1: %2', tried.number, verdict);
  return (
    <p className="jp-GpuHeadroomReport-tried">
      <Verdict fits={tried.fits} />
      <span>
        <Sentence text={text} />
      </span>
    </p>
  );
}
