import type { IRemedy } from '../protocol';
import { button } from './button';
import { element, inline } from './element';
import { icon, type IconName } from './icons';
import { own } from './own';
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
  offered: 'info',
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
        ...progressButtons(context, remedy.id, state),
        state.status === 'offered' ? offered(state.code) : null
      );
}

/** Code to be selected by hand. */
function offered(code: string): HTMLElement {
  const block = element(
    'pre',
    'jp-GpuHeadroomCard-code jp-mod-offered',
    element('code', '', code)
  );
  block.tabIndex = 0;
  return block;
}

function progressButtons(
  context: IContext,
  remedyId: string,
  state: RemedyState
): HTMLElement[] {
  const { trans } = context;
  if (context.state.trust !== 'confirmed') {
    return [];
  }
  switch (state.status) {
    case 'waiting': {
      const label = trans.__('Cancel');
      return [button(context, { label, action: 'cancel', remedyId })];
    }
    case 'applied': {
      // Names the cells where an edit of another cell makes more than one run.
      const run = own(context.state.runs, remedyId);
      const label = run
        ? trans.__('Re-run %1', run.join(', '))
        : trans.__('Re-run cell');
      return [
        button(context, { label: trans.__('Undo'), action: 'undo', remedyId }),
        button(context, { label, action: 'run', remedyId })
      ];
    }
    case 'changed': {
      const label = trans.__('Go to line %1', String(state.line));
      return state.line === null
        ? []
        : [button(context, { label, action: 'reveal', remedyId })];
    }
    default:
      return [];
  }
}
