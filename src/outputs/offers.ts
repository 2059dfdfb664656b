import type { IRemedy } from '../protocol';
import {
  type IContext,
  type IOffer,
  type IOffers,
  isCode,
  stateOf
} from '../report/state';
import type { Way } from './inserting';

/** Placeholder remedy id for the result of trying all edits together. */
export const DRY_RUN = 'dry-run';

/**
 * Offers of an output, where cells can be neither edited nor run: a fix is the whole
 * changed cell, inserted as a new one or copied. Files are not written.
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
    const label = isCopy ? trans.__('Copy') : trans.__('Insert as cell');
    // Snippets and code to save training, which an output cannot run itself.
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
