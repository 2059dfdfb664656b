import { codeBlock } from '../components/dom/code';
import { element, inline } from '../components/dom/element';
import { icon, type IconName } from '../components/dom/icon';
import type { IRemedy } from '../protocol';
import { button } from './button';
import { type IContext, type RemedyState, stateOf } from './state';

const ICONS: Record<Exclude<RemedyState['status'], 'ready'>, IconName> = {
  running: 'clock',
  waiting: 'clock',
  applied: 'check',
  inserted: 'check',
  refused: 'info',
  changed: 'triangle',
  failed: 'triangle'
};

/**
 * What became of the press of a button; nothing while the remedy is ready.
 */
export function progress(
  context: IContext,
  remedy: IRemedy
): HTMLElement | null {
  const state = stateOf(context, remedy.id);
  return state.status === 'ready' || !state.text
    ? null
    : element(
        'div',
        'jp-GpuHeadroomCard-progress',
        icon(ICONS[state.status]),
        element('span', '', ...inline(state.text)),
        ...followUps(context, remedy, state)
      );
}

function followUps(
  context: IContext,
  remedy: IRemedy,
  state: RemedyState
): HTMLElement[] {
  const { offers, trans } = context;
  if (context.state.trust !== 'confirmed') {
    return [];
  }
  if (state.status === 'refused') {
    return [codeBlock(state.code, 'jp-mod-refused')];
  }
  if (state.status === 'waiting') {
    const label = trans.__('Cancel');
    return [button(context, { label, action: 'cancel', remedyId: remedy.id })];
  }
  return offers
    .offersOf(context, remedy)
    .followUps.map(offer => button(context, offer));
}
