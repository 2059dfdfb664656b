import { button } from '../card/button';
import type { IEditing } from '../card/editing';
import { fixLabels, shortFixLabel } from '../card/fixlabels';
import { isUnderWay, progress, stateOf } from '../card/progress';
import type { IContext, RemedyState } from '../card/state';
import { element } from '../components/dom/element';
import type { IRemedy } from '../protocol';
import { own } from '../text/own';

/**
 * In JupyterLab the cells around a card can be edited, run and inserted, and the
 * kernel restarted.
 */
export const IN_CELLS: IEditing = {
  inserts: (kind, { editable }) =>
    editable && (kind === 'snippet' || kind === 'save'),
  buttons,
  followUps,
  nextStep,
  copies: context => {
    const { trans } = context;
    return [
      button(context, { label: trans.__('Copy as text'), action: 'copy' }),
      button(context, {
        label: trans.__('Copy for a forum or an assistant'),
        action: 'copy-for-forum'
      }),
      button(context, {
        label: trans.__('Report a wrong diagnosis'),
        action: 'copy-evidence'
      })
    ];
  }
};

function buttons(
  context: IContext,
  remedy: IRemedy,
  disabled: boolean
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
  if (kind === 'snippet') {
    const label = trans.__('Insert as cell');
    return remedy.type_this !== null && state.editable && status !== 'inserted'
      ? [button(context, { label, action: 'insert', remedyId, disabled })]
      : [];
  }
  if (kind === 'save') {
    const label =
      status === 'running' ? trans.__('Saving…') : trans.__('Save…');
    return state.editable && status !== 'inserted'
      ? [button(context, { label, action: 'save', remedyId, disabled })]
      : [];
  }
  if (kind !== 'edit' || !state.editable || status === 'applied') {
    return [];
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
 * On the first edit that sets a number: it can be halved until the cell passes.
 */
function makeItFit(
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

function followUps(
  context: IContext,
  remedyId: string,
  state: RemedyState
): HTMLElement[] {
  const { trans } = context;
  switch (state.status) {
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

/** One primary button: the fix where the cell needs one, else running it again. */
function nextStep(context: IContext, fix: IRemedy | null): HTMLElement | null {
  const { report, state, trans } = context;
  if (!state.editable) {
    return null;
  }
  const status = fix ? stateOf(context, fix).status : 'ready';
  const label =
    fix === null || status === 'applied' || status === 'changed'
      ? null
      : shortFixLabel(context, fix);
  const fixFirst = label !== null && report.fits_after_free !== true;
  const buttons = [
    fix && label !== null
      ? button(context, {
          label,
          action: 'apply-and-run',
          remedyId: fix.id,
          primary: fixFirst,
          disabled: isUnderWay(status)
        })
      : null,
    ...(fix && label !== null
      ? makeItFit(context, fix, isUnderWay(status))
      : []),
    status === 'applied'
      ? null
      : button(context, {
          label: trans.__('Re-run cell'),
          action: 'run',
          primary: !fixFirst && report.fits_after_free !== false
        })
  ];
  return element(
    'div',
    'jp-GpuHeadroomCard-next',
    element(
      'div',
      'jp-GpuHeadroom-actions',
      ...(fixFirst ? buttons : buttons.reverse())
    ),
    fix ? progress(context, fix) : null
  );
}
