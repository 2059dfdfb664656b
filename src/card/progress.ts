import { element, inline } from '../components/dom/element';
import { icon, type IconName } from '../components/dom/icon';
import type { IRemedy } from '../protocol';
import { own } from '../text/own';
import { button } from './button';
import type { IContext, RemedyState } from './state';

const READY: RemedyState = { status: 'ready' };

/**
 * Where a remedy stands.
 */
export function stateOf({ state }: IContext, remedy: IRemedy): RemedyState {
  return own(state.remedies, remedy.id) ?? READY;
}

/** Whether what a button of a remedy asked for goes on. */
export function isUnderWay(status: RemedyState['status']): boolean {
  return status === 'running' || status === 'waiting';
}

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
  const state = stateOf(context, remedy);
  return state.status === 'ready' || !state.text
    ? null
    : element(
        'div',
        'jp-GpuHeadroomCard-progress',
        icon(ICONS[state.status]),
        element('span', '', ...inline(state.text)),
        ...progressButtons(context, remedy.id, state)
      );
}

function progressButtons(
  context: IContext,
  remedyId: string,
  state: RemedyState
): HTMLElement[] {
  const { editing, trans } = context;
  if (context.state.trust !== 'confirmed') {
    return [];
  }
  if (state.status === 'waiting') {
    const label = trans.__('Cancel');
    return [button(context, { label, action: 'cancel', remedyId })];
  }
  return editing.followUps(context, remedyId, state);
}
