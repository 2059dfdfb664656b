import * as React from 'react';

import type { IRemedy } from '../protocol';
import { plain } from '../text/plain';
import type { ITranslate } from '../text/translate';
import { ReportButtons } from './reportbuttons';
import { type IContext, type IOffer, type RemedyState, stateOf } from './state';
import { suggestedCode } from './suggestion';

/** Buttons of a remedy; none unless the running helper confirmed the report. */
export function RemedyButtons(
  props: IContext & { remedy: IRemedy; isPrimary: boolean }
): React.JSX.Element | null {
  const { isPrimary, remedy, state } = props;
  const buttons =
    state.trust === 'confirmed' ? offersOf(props, remedy, isPrimary) : [];
  return buttons.length === 0 ? null : (
    <div className="jp-GpuHeadroom-actions">
      <ReportButtons {...props} buttons={buttons} />
    </div>
  );
}

function offersOf(
  context: IContext,
  remedy: IRemedy,
  primary: boolean
): readonly IOffer[] {
  const { offers, report, sentence, trans } = context;
  const { id: remedyId, kind } = remedy;
  if (kind === 'suggestion') {
    const label = trans.__('Copy');
    const description = `${label}: ${plain(sentence(remedy.title))}`;
    return suggestedCode(remedy) === null
      ? []
      : [{ label, description, action: 'copy-code', remedyId }];
  }
  // After a sticky CUDA error no memory can be freed.
  if (kind !== 'release' || report.sticky_error) {
    return offers.offersOf(context, remedy).buttons;
  }
  const label = releaseLabel(trans, stateOf(context, remedyId).status);
  return [{ label, action: 'release', remedyId, primary }];
}

function releaseLabel(
  trans: ITranslate,
  status: RemedyState['status']
): string {
  switch (status) {
    case 'running':
      return trans.__('Freeing…');
    case 'waiting':
      return trans.__('Queued');
    default:
      return trans.__('Free now');
  }
}
