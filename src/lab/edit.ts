import type { ICellModel } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IEdit } from '../protocol';
import { isCellLocked, isLocked } from './locked';

/** Code that can be edited: a cell, or a file beside the notebook. */
export interface ICode {
  /** Id of the cell, or path of the file relative to the notebook's folder. */
  readonly id: string;
  readonly isFile: boolean;
  readonly isReadOnly: boolean;
  /**
   * Read the current text; `null`: it no longer exists. For a file it may reject with a
   * sentence.
   */
  read(): Promise<string | null>;
  /**
   * Replace one text by another. Nothing changes if the first text is no longer there:
   * resolves to false, or for a file rejects with a sentence. Also rejects with a
   * sentence if the code is read-only.
   */
  replace(from: string, to: string): Promise<boolean>;
}

/** Code before and after an edit. */
export interface IAppliedEdit {
  readonly code: ICode;
  readonly before: string;
  readonly after: string;
}

/** A cell as code, found by its id, since a moved cell gets another model. */
export function ofCell(
  panel: NotebookPanel,
  id: string,
  trans: TranslationBundle
): ICode | undefined {
  const find = (): ICellModel | undefined =>
    [...(panel.model?.cells ?? [])].find(cell => cell.id === id);
  const sourceNow = (): string | null =>
    find()?.sharedModel.getSource() ?? null;
  return (
    find() && {
      id,
      isFile: false,
      get isReadOnly() {
        return isCellLocked(panel, id);
      },
      read: () => Promise.resolve(sourceNow()),
      replace: (from, to) => {
        const cell = find();
        if (cell === undefined || sourceNow() !== from) {
          return Promise.resolve(false);
        }
        if (isCellLocked(panel, id)) {
          return Promise.reject(new Error(sayLocked(trans)));
        }
        replace(cell, from, to);
        return Promise.resolve(true);
      }
    }
  );
}

/** Sentence on why a cell cannot be edited, or an edit cannot be undone. */
function sayLocked(trans: TranslationBundle): string {
  return trans.__('The cell is read-only, so nothing was changed.');
}

/** Why edits in a notebook cannot be made although they match; `null`: they can. */
export function whyLocked(
  panel: NotebookPanel,
  edits: readonly IAppliedEdit[],
  trans: TranslationBundle
): string | null {
  return isLocked(panel) || edits.some(({ code }) => code.isReadOnly)
    ? sayLocked(trans)
    : null;
}

/** The source with the edits made; `null` if a line is not as expected. */
export function edited(source: string, edits: readonly IEdit[]): string | null {
  const lines = source.split('\n');
  // From the last line up, so that earlier edits keep their line numbers.
  const upwards = [...edits].sort((a, b) => b.first_line - a.first_line);
  for (const { first_line, old_lines, new_lines } of upwards) {
    const start = first_line - 1;
    const current = lines.slice(start, start + old_lines.length);
    if (start < 0 || current.join('\n') !== old_lines.join('\n')) {
      return null;
    }
    lines.splice(start, old_lines.length, ...new_lines);
  }
  return lines.join('\n');
}

/**
 * Prepare the edits of several cells; `null` if any of them does not match.
 *
 * Changes nothing: all edits are made, or none.
 *
 * @param find - returns the code that an edit belongs to
 */
export async function prepare(
  edits: readonly IEdit[],
  find: (id: string) => ICode | undefined
): Promise<IAppliedEdit[] | null> {
  const prepared: IAppliedEdit[] = [];
  for (const id of new Set(edits.map(edit => edit.cell_id))) {
    const code = find(id);
    const before = (await code?.read()) ?? null;
    const own = edits.filter(edit => edit.cell_id === id);
    // All lines of a file were sent, and no other file changes with it.
    const isOther =
      code?.isFile &&
      edits.some(({ old_lines }) => old_lines.join('\n') !== before);
    const after = before === null ? null : edited(before, own);
    if (!code || before === null || after === null || isOther) {
      return null;
    }
    prepared.push({ code, before, after });
  }
  return prepared;
}

/**
 * Make prepared edits, each as one undo step of its cell: all of them, or none.
 * Resolves to false if a cell has changed since; rejects with a sentence if a file has,
 * or if one of them is read-only.
 */
export async function apply(edits: readonly IAppliedEdit[]): Promise<boolean> {
  return replaceAll(
    edits.map(({ after, before, code }) => ({ code, from: before, to: after }))
  );
}

/** Undo edits: all of them, or none, as `apply` makes them. */
export async function revert(edits: readonly IAppliedEdit[]): Promise<boolean> {
  return replaceAll(
    edits.map(({ after, before, code }) => ({ code, from: after, to: before }))
  );
}

interface IReplacement {
  readonly code: ICode;
  readonly from: string;
  readonly to: string;
}

async function replaceAll(all: readonly IReplacement[]): Promise<boolean> {
  const cells = all.filter(({ code }) => !code.isFile);
  const texts = await Promise.all(cells.map(async ({ code }) => code.read()));
  if (cells.some(({ from }, index) => from !== texts[index])) {
    return false;
  }
  const done: IReplacement[] = [];
  // Read-only code and files come first: they may fail before anything is changed.
  const rank = ({ code }: IReplacement): number =>
    code.isReadOnly ? 0 : code.isFile ? 1 : 2;
  for (const change of [...all].sort((a, b) => rank(a) - rank(b))) {
    if (!(await change.code.replace(change.from, change.to))) {
      await Promise.all(
        done.map(async ({ code, from, to }) => code.replace(to, from))
      );
      return false;
    }
    done.push(change);
  }
  return true;
}

/**
 * Change only the part that differs, so that cursors and edits of collaborators keep
 * their place.
 */
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
