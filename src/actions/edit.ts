import type { ICellModel } from '@jupyterlab/cells';

import type { IEdit } from '../protocol';

/** The code of one cell before and after an edit. */
export interface IAppliedEdit {
  /** Of the cell: one that is moved gets another model. */
  readonly id: string;
  readonly cell: ICellModel;
  readonly before: string;
  readonly after: string;
}

/**
 * The source with the edits made, or `null` when a line is not as expected.
 */
export function edited(source: string, edits: readonly IEdit[]): string | null {
  const lines = source.split('\n');
  // From the last line up, so that earlier edits keep their line numbers.
  const upwards = [...edits].sort((a, b) => b.first_line - a.first_line);
  for (const { first_line, old_lines, new_lines } of upwards) {
    const start = first_line - 1;
    const found = lines.slice(start, start + old_lines.length);
    if (start < 0 || found.join('\n') !== old_lines.join('\n')) {
      return null;
    }
    lines.splice(start, old_lines.length, ...new_lines);
  }
  return lines.join('\n');
}

/**
 * Prepare the edits of several cells; `null` when any of them does not match.
 *
 * Nothing is changed: all edits are made, or none.
 */
export function prepare(
  cells: Iterable<ICellModel>,
  edits: readonly IEdit[]
): IAppliedEdit[] | null {
  const byId = new Map([...cells].map(cell => [cell.id, cell]));
  const ids = [...new Set(edits.map(edit => edit.cell_id))];
  const prepared = ids.map(id => {
    const cell = byId.get(id);
    if (!cell) {
      return null;
    }
    const before = cell.sharedModel.getSource();
    const own = edits.filter(edit => edit.cell_id === id);
    const after = edited(before, own);
    return after === null ? null : { id, cell, before, after };
  });
  return prepared.every(edit => edit !== null) ? prepared : null;
}

/**
 * Make a prepared edit, as one undo step of its cell.
 */
export function apply({ cell, before, after }: IAppliedEdit): void {
  replace(cell, before, after);
}

/**
 * Take an edit back; false when the cell has been changed since.
 */
export function revert({ cell, before, after }: IAppliedEdit): boolean {
  if (cell.sharedModel.getSource() !== after) {
    return false;
  }
  replace(cell, after, before);
  return true;
}

/** Change only what differs, so that cursors and other people's edits stay put. */
function replace({ sharedModel }: ICellModel, from: string, to: string): void {
  let start = 0;
  while (start < from.length && from[start] === to[start]) {
    start++;
  }
  let end = from.length;
  let tail = to.length;
  while (end > start && tail > start && from[end - 1] === to[tail - 1]) {
    end--;
    tail--;
  }
  sharedModel.transact(() => {
    sharedModel.updateSource(start, end, to.slice(start, tail));
  });
}
