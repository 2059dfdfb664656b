import type { IRemedy } from '../protocol';
import { button } from './button';
import { element, inline } from './element';
import type { IconName } from './icons';
import { icon } from './icons';
import { own } from './own';
import type { IContext, RemedyState } from './state';

const READY: RemedyState = { status: 'ready' };

/**
 * Where a remedy stands.
 */
export function stateOf({ state }: IContext, remedy: IRemedy): RemedyState {
  return own(state.remedies, remedy.id) ?? READY;
}

const ICONS: Record<RemedyState['status'], IconName | null> = {
  ready: null,
  running: 'clock',
  waiting: 'clock',
  applied: 'check',
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
  const shape = ICONS[state.status];
  if (state.status === 'ready' || shape === null || !state.text) {
    return null;
  }
  return element(
    'div',
    'jp-GpuHeadroomCard-progress',
    icon(shape),
    element('span', '', ...inline(state.text)),
    ...progressButtons(context, remedy, state)
  );
}

function progressButtons(
  context: IContext,
  remedy: IRemedy,
  state: RemedyState
): HTMLElement[] {
  const { trans } = context.words;
  const remedyId = remedy.id;
  if (context.state.trust !== 'confirmed') {
    return [];
  }
  switch (state.status) {
    case 'waiting':
      return [
        button(context, {
          label: trans.__('Cancel'),
          action: 'cancel',
          remedyId
        })
      ];
    case 'applied':
      return [
        button(context, { label: trans.__('Undo'), action: 'undo', remedyId }),
        button(context, {
          label: rerunLabel(context, remedy),
          action: 'run',
          remedyId
        })
      ];
    case 'changed':
      return state.line === null
        ? []
        : [
            button(context, {
              label: trans.__('Go to line %1', String(state.line)),
              action: 'reveal',
              remedyId
            })
          ];
    default:
      return [];
  }
}

/** Names the cells where an edit of another cell makes more than one run. */
function rerunLabel({ words, state }: IContext, { id }: IRemedy): string {
  const run = own(state.runs, id);
  return run
    ? words.trans.__('Re-run %1', run.join(', '))
    : words.trans.__('Re-run cell');
}
