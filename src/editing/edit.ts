import type { ICellModel } from '@jupyterlab/cells';

import type { IEdit } from '../protocol';

/** Where code stands that can be edited: a cell, or a file beside the notebook. */
export interface ICode {
  /** Of the cell, or the path of the file from the notebook's folder. */
  readonly id: string;
  readonly isFile: boolean;
  readonly isReadOnly: boolean;
  /** The text as it is; of a file it may reject with a sentence. */
  read(): Promise<string>;
  /**
   * Put a text in the place of another. Where that is not there any more nothing is
   * changed: false, or of a file a sentence to reject with.
   */
  replace(from: string, to: string): Promise<boolean>;
}

/** Code before and after an edit. */
export interface IAppliedEdit {
  readonly code: ICode;
  readonly before: string;
  readonly after: string;
}

/** A cell as code; one that is moved gets another model. */
export function ofCell(cell: ICellModel): ICode {
  const { sharedModel } = cell;
  return {
    id: cell.id,
    isFile: false,
    isReadOnly: cell.getMetadata('editable') === false,
    read: () => Promise.resolve(sharedModel.getSource()),
    replace: (from, to) => {
      const isAsExpected = sharedModel.getSource() === from;
      if (isAsExpected) {
        replace(cell, from, to);
      }
      return Promise.resolve(isAsExpected);
    }
  };
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
 *
 * @param find - where the code of an edit stands
 */
export async function prepare(
  edits: readonly IEdit[],
  find: (id: string) => ICode | undefined
): Promise<IAppliedEdit[] | null> {
  const prepared: IAppliedEdit[] = [];
  for (const id of new Set(edits.map(edit => edit.cell_id))) {
    const code = find(id);
    const before = await code?.read();
    const own = edits.filter(edit => edit.cell_id === id);
    // Of a file all lines were sent, and nothing else changes with it.
    const isOther =
      code?.isFile &&
      edits.some(({ old_lines }) => old_lines.join('\n') !== before);
    const after = before === undefined ? null : edited(before, own);
    if (!code || before === undefined || after === null || isOther) {
      return null;
    }
    prepared.push({ code, before, after });
  }
  return prepared;
}

/**
 * Make a prepared edit, as one undo step of its cell; false when that has been
 * changed since.
 */
export async function apply(edit: IAppliedEdit): Promise<boolean> {
  return edit.code.replace(edit.before, edit.after);
}

/**
 * Take an edit back; false when the cell has been changed since.
 */
export async function revert(edit: IAppliedEdit): Promise<boolean> {
  return edit.code.replace(edit.after, edit.before);
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
