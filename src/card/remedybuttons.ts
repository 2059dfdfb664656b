import type { IRemedy } from '../protocol';
import type { ITranslate } from '../text/translate';
import { buttons } from './button';
import { type IContext, type IOffer, type RemedyState, stateOf } from './state';

/**
 * The buttons of a remedy; none unless the live helper vouches for the report.
 */
export function remedyButtons(
  context: IContext,
  remedy: IRemedy,
  primary: boolean
): HTMLElement | null {
  if (context.state.trust !== 'confirmed') {
    return null;
  }
  const offers = offersOf(context, remedy, primary);
  return offers.length > 0 ? buttons(context, offers) : null;
}

function offersOf(
  context: IContext,
  remedy: IRemedy,
  primary: boolean
): readonly IOffer[] {
  const { offers, report, trans } = context;
  const { id: remedyId, kind } = remedy;
  // Where CUDA has stopped, nothing is given back any more.
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
