import { button } from '../card/button';
import type { IEditing } from '../card/editing';
import { isUnderWay, progress, stateOf } from '../card/progress';
import type { IContext } from '../card/state';
import { element } from '../components/dom/element';
import type { IRemedy } from '../protocol';
import { codeToSelect, type Way } from './inserting';

/** Whether a remedy is code to run: what is saved for, too, no output can do itself. */
function isCode(kind: IRemedy['kind']): boolean {
  return kind === 'snippet' || kind === 'save';
}

/**
 * In an output no cell can be edited or run: a fix is the whole cell, changed, as
 * a new one, which is inserted or copied. A file it does not write.
 */
export function newCells(way: Way): IEditing {
  const isCopy = way === 'copy';

  const insertFixed = (
    context: IContext,
    remedy: IRemedy,
    primary: boolean
  ): HTMLElement[] => {
    const { trans } = context;
    const { status } = stateOf(context, remedy);
    const label = isCopy
      ? trans.__('Copy fixed cell')
      : trans.__('Insert fixed cell');
    return remedy.diffs[0]?.file || (status === 'inserted' && !isCopy)
      ? []
      : [
          button(context, {
            label,
            action: 'insert-fixed',
            remedyId: remedy.id,
            primary,
            disabled: isUnderWay(status)
          })
        ];
  };

  return {
    inserts: isCode,

    buttons: (context, remedy, disabled) => {
      const { report, trans } = context;
      const { id: remedyId, kind, type_this: code } = remedy;
      const isDone = stateOf(context, remedy).status === 'inserted' && !isCopy;
      if (report.sticky_error) {
        return [];
      }
      if (kind === 'edit') {
        return insertFixed(context, remedy, false);
      }
      const label = isCopy ? trans.__('Copy code') : trans.__('Insert as cell');
      return isCode(kind) && code !== null && !isDone
        ? [button(context, { label, action: 'insert', remedyId, disabled })]
        : [];
    },

    followUps: (_context, _remedyId, state) =>
      state.status === 'refused' ? [codeToSelect(state.code)] : [],

    nextStep: (context, fix) => {
      const { report, trans } = context;
      const isEnough = report.fits_after_free !== false;
      const how = isEnough
        ? trans.__('Run the cell above again.')
        : fix && !fix.diffs[0]?.file
          ? trans.__('Run the fixed cell instead of the cell above.')
          : trans.__('Change the code, then run the cell above again.');
      return element(
        'div',
        'jp-GpuHeadroomCard-next',
        element('p', '', how),
        ...(fix && report.fits_after_free !== true
          ? [
              element(
                'div',
                'jp-GpuHeadroom-actions',
                ...insertFixed(context, fix, !isEnough)
              ),
              progress(context, fix)
            ]
          : [])
      );
    },

    copies: () => []
  };
}
