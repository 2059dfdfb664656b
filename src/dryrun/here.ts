import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import {
  apply,
  type IAppliedEdit,
  ofCell,
  prepare,
  revert
} from '../editing/edit';
import { whyLocked } from '../editing/fix';
import { insertBelow } from '../editing/insertion';
import { METADATA_KEY, readLastRan, sayMeasured } from '../lastran/record';
import type { IDryRunFound, IEdit, RequestArgs } from '../protocol';
import { asMarkdown } from './words';

/** What takes longer, and is asked for once there is a first answer. */
export type DryRunMore = Pick<
  RequestArgs<'dry_run'>,
  'largest_on_each' | 'values_to'
>;

/** The notebook whose cells were run dry, for what is to be done there. */
export class Here {
  /**
   * @param again - run the same cells again, and find out more; resolves to a sentence
   * why that did not begin
   */
  constructor(
    private readonly _panel: NotebookPanel,
    readonly again: (more: Partial<DryRunMore>) => Promise<string | null>,
    private readonly _trans: TranslationBundle
  ) {}

  /** What it needed when it really ran last; empty: nobody has measured that. */
  get measured(): string {
    const metadata: unknown = this._panel.model?.getMetadata(METADATA_KEY);
    const record = readLastRan(metadata);
    return record ? sayMeasured(record, this._trans) : '';
  }

  /** Put what was found into a cell that stays. */
  keep(found: IDryRunFound): void {
    const { content } = this._panel;
    const text = asMarkdown(found, this._trans);
    insertBelow(this._panel, content.activeCellIndex, text, 'markdown');
  }

  /**
   * Make edits in its cells, one undo step each: all of them, or none, and then it
   * rejects with a sentence.
   */
  async apply(edits: readonly IEdit[]): Promise<readonly IAppliedEdit[]> {
    const cells = [...(this._panel.model?.cells ?? [])];
    const made = await prepare(edits, id => {
      const cell = cells.find(each => each.id === id);
      return cell && ofCell(cell);
    });
    if (made === null) {
      throw new Error(
        this._trans.__('The cell was edited since, so nothing was changed.')
      );
    }
    const why = whyLocked(this._panel, made, this._trans);
    if (why !== null) {
      throw new Error(why);
    }
    await Promise.all(made.map(apply));
    return made;
  }

  /** Take edits back, where the cells are as they left them. */
  async undo(edits: readonly IAppliedEdit[]): Promise<void> {
    await Promise.all(edits.map(revert));
  }
}
