import type { IRemedy, IReport } from '../protocol';
import { button } from './button';
import { element } from './element';
import { fixLabels } from './fixlabels';
import { stateOf } from './progress';
import type { IContext, RemedyState } from './state';

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
  const buttons = buttonsOf(context, report, remedy, primary);
  return buttons.length > 0
    ? element('div', 'jp-GpuHeadroom-actions', ...buttons)
    : null;
}

function buttonsOf(
  context: IContext,
  report: IReport,
  remedy: IRemedy,
  primary: boolean
): HTMLElement[] {
  const { editable } = context.state;
  if (report.poisoned) {
    return remedy.kind === 'restart' ? [restartButton(context, remedy)] : [];
  }
  if (remedy.kind === 'release') {
    return [releaseButton(context, remedy, primary)];
  }
  return remedy.kind === 'edit' && editable
    ? editButtons(context, report, remedy)
    : [];
}

function releaseButton(
  context: IContext,
  remedy: IRemedy,
  primary: boolean
): HTMLElement {
  const { status } = stateOf(context, remedy);
  return button(context, {
    label: releaseLabel(context, status),
    action: 'release',
    remedyId: remedy.id,
    primary,
    disabled: status === 'running' || status === 'waiting'
  });
}

function releaseLabel(
  { words: { trans } }: IContext,
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

/** Where CUDA has stopped, nothing else helps; JupyterLab asks first. */
function restartButton(context: IContext, remedy: IRemedy): HTMLElement {
  return button(context, {
    label: context.words.trans.__('Restart kernel…'),
    action: 'restart',
    remedyId: remedy.id,
    primary: true
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
