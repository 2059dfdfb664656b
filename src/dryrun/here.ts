import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import {
  apply,
  type IAppliedEdit,
  ofCell,
  prepare,
  revert,
  whyLocked
} from '../lab/edit';
import type { IEdit, RequestArgs } from '../protocol';

/** Options that take longer, requested after the first result. */
export type DryRunMore = Pick<
  RequestArgs<'dry_run'>,
  'largest_on_each' | 'values_to'
>;

/** The notebook of a dry run, for actions on its cells. */
export class Here {
  /**
   * @param again - run the same cells again with more options; resolves to a sentence
   *   on why that did not start
   */
  constructor(
    private readonly _panel: NotebookPanel,
    readonly again: (more: Partial<DryRunMore>) => Promise<string | null>,
    private readonly _trans: TranslationBundle
  ) {}

  /**
   * Make edits in its cells, one undo step each: all of them, or none, in which case it
   * rejects with a sentence.
   */
  async apply(edits: readonly IEdit[]): Promise<readonly IAppliedEdit[]> {
    const prepared = await prepare(edits, id =>
      ofCell(this._panel, id, this._trans)
    );
    const why = prepared && whyLocked(this._panel, prepared, this._trans);
    if (why !== null) {
      throw new Error(why);
    }
    if (prepared === null || !(await apply(prepared))) {
      throw new Error(
        this._trans.__('The cell was edited since, so nothing was changed.')
      );
    }
    return prepared;
  }

  /** Undo edits: all of them, or none, in which case it rejects with a sentence. */
  async undo(edits: readonly IAppliedEdit[]): Promise<void> {
    if (!(await revert(edits))) {
      throw new Error(
        this._trans.__('The cell was edited since, so nothing was changed.')
      );
    }
  }
}
