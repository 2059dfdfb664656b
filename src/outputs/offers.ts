import {
  type IContext,
  type IOffer,
  type IOffers,
  isCode,
  stateOf
} from '../card/state';
import type { IRemedy } from '../protocol';
import type { Way } from './inserting';

/** Stands for all edits together where an outcome is told of a remedy. */
export const DRY_RUN = 'dry-run';

/**
 * In an output no cell can be edited or run: a fix is the whole cell, changed, as
 * a new one, which is inserted or copied. A file it does not write.
 */
export function newCells(way: Way): IOffers {
  const isCopy = way === 'copy';

  const buttonsOf = (
    context: IContext,
    remedy: IRemedy,
    primary: boolean
  ): readonly IOffer[] => {
    const { report, trans } = context;
    const { diffs, id: remedyId, kind, type_this: code } = remedy;
    const isDone = stateOf(context, remedyId).status === 'inserted';
    if (report.sticky_error || isDone) {
      return [];
    }
    if (kind === 'edit') {
      const label = isCopy
        ? trans.__('Copy fixed cell')
        : trans.__('Insert fixed cell');
      return diffs[0]?.file
        ? []
        : [{ label, action: 'insert-fixed', remedyId, primary }];
    }
    const label = isCopy ? trans.__('Copy code') : trans.__('Insert as cell');
    // What is saved for, too, no output can do itself.
    return isCode(remedy) && code !== null
      ? [{ label, action: 'insert', remedyId }]
      : [];
  };

  return {
    offersOf: (context, remedy) => ({
      buttons: buttonsOf(context, remedy, false),
      followUps: []
    }),

    nextStep: (context, fix) => {
      const { report, trans } = context;
      const isEnough = report.fits_after_free !== false;
      const isOffered = fix && report.fits_after_free !== true;
      const text = isEnough
        ? trans.__('Run the cell above again.')
        : fix && !fix.diffs[0]?.file
          ? trans.__('Run the fixed cell instead of the cell above.')
          : trans.__('Change the code, then run the cell above again.');
      return {
        text,
        buttons: isOffered ? buttonsOf(context, fix, !isEnough) : [],
        fix: isOffered ? fix : null
      };
    },

    forEdits: ({ trans }) => {
      const label = isCopy
        ? trans.__('Copy a dry run of the edits')
        : trans.__('Insert a dry run of the edits');
      return [{ label, action: 'insert-dry-run', remedyId: DRY_RUN }];
    },

    inDetails: () => []
  };
}
