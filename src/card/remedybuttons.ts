import { element } from '../components/dom/element';
import type { IRemedy } from '../protocol';
import type { ITranslate } from '../text/translate';
import { button } from './button';
import { isUnderWay, stateOf } from './progress';
import type { IContext, RemedyState } from './state';

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
  const buttons = buttonsOf(context, remedy, primary);
  return buttons.length > 0
    ? element('div', 'jp-GpuHeadroom-actions', ...buttons)
    : null;
}

function buttonsOf(
  context: IContext,
  remedy: IRemedy,
  primary: boolean
): HTMLElement[] {
  const { editing, report, trans } = context;
  const { id: remedyId, kind } = remedy;
  const { status } = stateOf(context, remedy);
  const disabled = isUnderWay(status);
  // Where CUDA has stopped, nothing is given back any more.
  if (kind !== 'release' || report.sticky_error) {
    return editing.buttons(context, remedy, disabled);
  }
  const label = releaseLabel(trans, status);
  return [
    button(context, { label, action: 'release', remedyId, primary, disabled })
  ];
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
