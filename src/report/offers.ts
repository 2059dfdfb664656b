import type {
  IContext,
  INextStep,
  IOffer,
  IOffers,
  RemedyState
} from '../card/state';
import { stateOf } from '../card/state';
import type { IRemedy } from '../protocol';
import { own } from '../text/own';
import { fixLabels, shortFixLabel } from './fixlabels';

/**
 * In JupyterLab the cells around a card can be edited, run and inserted, and the
 * kernel restarted.
 */
export const IN_CELLS: IOffers = {
  offersOf: (context, remedy) => {
    const state = stateOf(context, remedy.id);
    return {
      buttons: buttonsOf(context, remedy, state),
      followUps: followUpsOf(context, remedy, state)
    };
  },
  nextStep,
  forEdits,
  copies: ({ trans }) => [
    { label: trans.__('Copy report'), action: 'copy' },
    { label: trans.__('Report a wrong diagnosis'), action: 'copy-evidence' }
  ]
};

function buttonsOf(
  context: IContext,
  remedy: IRemedy,
  { status }: RemedyState
): readonly IOffer[] {
  const { report, state, trans } = context;
  const { id: remedyId, kind } = remedy;
  if (report.sticky_error) {
    // Nothing else helps; JupyterLab asks first.
    const label = trans.__('Restart kernel…');
    return kind === 'restart'
      ? [{ label, action: 'restart', remedyId, primary: true }]
      : [];
  }
  if (kind === 'snippet') {
    const label = trans.__('Insert as cell');
    return remedy.type_this !== null && state.editable && status !== 'inserted'
      ? [{ label, action: 'insert', remedyId }]
      : [];
  }
  if (kind === 'save') {
    const label =
      status === 'running' ? trans.__('Saving…') : trans.__('Save…');
    return state.editable && status !== 'inserted'
      ? [{ label, action: 'save', remedyId }]
      : [];
  }
  if (kind !== 'edit' || !state.editable || status === 'applied') {
    return [];
  }
  const { apply: label, applyAndRun } = fixLabels(context, remedy);
  return [
    { label, action: 'apply', remedyId },
    ...(applyAndRun === null
      ? []
      : [
          { label: applyAndRun, action: 'apply-and-run', remedyId } as const,
          ...makeItFit(context, remedy)
        ])
  ];
}

/**
 * On the first edit that sets a number: it can be halved until the cell passes.
 */
function makeItFit(
  { report, trans }: IContext,
  remedy: IRemedy
): readonly IOffer[] {
  const first = report.remedies.find(
    ({ kind, diffs }) =>
      kind === 'edit' && diffs.some(({ sets }) => sets !== null)
  );
  const label = trans.__('Make it fit');
  return remedy === first
    ? [{ label, action: 'make-it-fit', remedyId: remedy.id }]
    : [];
}

/** To try them on a simulated GPU, where they can be made. */
function forEdits({ state, trans }: IContext): readonly IOffer[] {
  if (!state.editable || state.trust !== 'confirmed') {
    return [];
  }
  return state.tried?.isGoing
    ? [{ label: trans.__('Cancel'), action: 'end-tries' }]
    : [
        {
          label: state.tried
            ? trans.__('Try again')
            : trans.__('Try these first'),
          action: 'try-first'
        }
      ];
}

function followUpsOf(
  { state, trans }: IContext,
  { id: remedyId }: IRemedy,
  remedyState: RemedyState
): readonly IOffer[] {
  switch (remedyState.status) {
    case 'applied': {
      // Names the cells where an edit of another cell makes more than one run.
      const run = own(state.runs, remedyId);
      const label = run
        ? trans.__('Re-run %1', run.join(', '))
        : trans.__('Re-run cell');
      return [
        { label: trans.__('Undo'), action: 'undo', remedyId },
        { label, action: 'run', remedyId }
      ];
    }
    case 'changed': {
      const { line } = remedyState;
      const label = trans.__('Go to line %1', String(line));
      return line === null ? [] : [{ label, action: 'reveal', remedyId }];
    }
    default:
      return [];
  }
}

/** One primary button: the fix where the cell needs one, else running it again. */
function nextStep(context: IContext, fix: IRemedy | null): INextStep | null {
  const { report, state, trans } = context;
  if (!state.editable) {
    return null;
  }
  const status = fix ? stateOf(context, fix.id).status : 'ready';
  const label =
    fix === null || status === 'applied' || status === 'changed'
      ? null
      : shortFixLabel(context, fix);
  const fixFirst = label !== null && report.fits_after_free !== true;
  const fixing: readonly IOffer[] =
    fix && label !== null
      ? [
          {
            label,
            action: 'apply-and-run',
            remedyId: fix.id,
            primary: fixFirst
          },
          ...makeItFit(context, fix)
        ]
      : [];
  const running: readonly IOffer[] =
    status === 'applied'
      ? []
      : [
          {
            label: trans.__('Re-run cell'),
            action: 'run',
            primary: !fixFirst && report.fits_after_free !== false
          }
        ];
  const buttons = [...fixing, ...running];
  return { text: '', buttons: fixFirst ? buttons : buttons.reverse(), fix };
}
