import type { IRemedy } from '../protocol';
import { button } from './button';
import { element } from './element';
import { fixLabels } from './fixlabels';
import { isUnderWay, stateOf } from './progress';
import type { IContext, RemedyState } from './state';
import type { ITranslate } from '../translate';

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
  const { report, state, trans } = context;
  const { id: remedyId, kind } = remedy;
  if (report.sticky_error) {
    // Nothing else helps; JupyterLab asks first.
    const label = trans.__('Restart kernel…');
    return kind === 'restart'
      ? [button(context, { label, action: 'restart', remedyId, primary: true })]
      : [];
  }
  const { status } = stateOf(context, remedy);
  const disabled = isUnderWay(status);
  if (kind === 'release') {
    const label = releaseLabel(trans, status);
    return [
      button(context, { label, action: 'release', remedyId, primary, disabled })
    ];
  }
  if (kind === 'snippet') {
    const isCopied = state.edits === 'copy';
    const label = isCopied ? trans.__('Copy code') : trans.__('Insert as cell');
    const isDone = status === 'inserted' && !isCopied;
    return remedy.type_this !== null && state.edits !== null && !isDone
      ? [button(context, { label, action: 'insert', remedyId, disabled })]
      : [];
  }
  if (kind === 'save') {
    const label =
      status === 'running' ? trans.__('Saving…') : trans.__('Save…');
    return state.edits === 'cell' && status !== 'inserted'
      ? [button(context, { label, action: 'save', remedyId, disabled })]
      : [];
  }
  if (kind !== 'edit' || state.edits === null || status === 'applied') {
    return [];
  }
  if (state.edits !== 'cell') {
    return insertFixed(context, remedy, false);
  }
  const { apply: label, applyAndRun } = fixLabels(context, remedy);
  return [
    button(context, { label, action: 'apply', remedyId, disabled }),
    ...(applyAndRun === null
      ? []
      : [
          button(context, {
            label: applyAndRun,
            action: 'apply-and-run',
            remedyId,
            disabled
          }),
          ...makeItFit(context, remedy, disabled)
        ])
  ];
}

/**
 * Where cells cannot be edited: the whole cell, changed, as another one.
 */
export function insertFixed(
  context: IContext,
  remedy: IRemedy,
  primary: boolean
): HTMLElement[] {
  const { state, trans } = context;
  const { status } = stateOf(context, remedy);
  const isCopied = state.edits === 'copy';
  if (status === 'inserted' && !isCopied) {
    return [];
  }
  const several = remedy.diffs.length > 1;
  const copy = several
    ? trans.__('Copy fixed cells')
    : trans.__('Copy fixed cell');
  const insert = several
    ? trans.__('Insert fixed cells')
    : trans.__('Insert fixed cell');
  return [
    button(context, {
      label: isCopied ? copy : insert,
      action: 'insert-fixed',
      remedyId: remedy.id,
      primary,
      disabled: isUnderWay(status)
    })
  ];
}

/**
 * On the first edit that sets a number: it can be halved until the cell passes.
 */
export function makeItFit(
  context: IContext,
  remedy: IRemedy,
  disabled: boolean
): HTMLElement[] {
  const { report, trans } = context;
  const first = report.remedies.find(
    ({ kind, diffs }) =>
      kind === 'edit' && diffs.some(({ sets }) => sets !== null)
  );
  const label = trans.__('Make it fit');
  return remedy === first
    ? [
        button(context, {
          label,
          action: 'make-it-fit',
          remedyId: remedy.id,
          disabled
        })
      ]
    : [];
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
