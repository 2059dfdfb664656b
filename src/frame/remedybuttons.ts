import type { IRemedy, IReport } from '../protocol';
import { button } from './button';
import { element } from './element';
import { fixLabels } from './fixlabels';
import { stateOf } from './progress';
import type { IContext } from './state';

/**
 * The buttons of a remedy; none unless the live helper vouches for the report.
 */
export function remedyButtons(
  context: IContext,
  report: IReport,
  remedy: IRemedy,
  primary: boolean
): HTMLElement | null {
  if (context.state.trust !== 'confirmed') {
    return null;
  }
  const buttons =
    remedy.kind === 'release'
      ? [releaseButton(context, remedy, primary)]
      : remedy.kind === 'edit' && context.state.editable
        ? editButtons(context, report, remedy)
        : [];
  return buttons.length > 0
    ? element('div', 'jp-GpuHeadroom-actions', ...buttons)
    : null;
}

function releaseButton(
  context: IContext,
  remedy: IRemedy,
  primary: boolean
): HTMLElement {
  const { trans } = context.words;
  const { status } = stateOf(context, remedy);
  const busy = status === 'running' || status === 'waiting';
  return button(context, {
    label: status === 'running' ? trans.__('Freeing…') : trans.__('Free now'),
    action: 'release',
    remedyId: remedy.id,
    primary,
    disabled: busy
  });
}

function editButtons(
  context: IContext,
  report: IReport,
  remedy: IRemedy
): HTMLElement[] {
  const { status } = stateOf(context, remedy);
  if (status === 'applied') {
    return [];
  }
  const disabled = status === 'running' || status === 'waiting';
  const { apply, applyAndRun } = fixLabels(context, report, remedy);
  const remedyId = remedy.id;
  const buttons = [
    button(context, { label: apply, action: 'apply', remedyId, disabled })
  ];
  if (applyAndRun !== null) {
    const action = 'apply-and-run';
    buttons.push(
      button(context, { label: applyAndRun, action, remedyId, disabled })
    );
  }
  return buttons;
}
