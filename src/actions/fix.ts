import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IMessage } from '../protocol';
import type { IKernelMemory } from '../tokens';
import { apply, type IAppliedEdit, prepare } from './edit';

/** A fix that the helper proved and the notebook still matches. */
export interface IFix {
  readonly status: 'ok';
  readonly edits: readonly IAppliedEdit[];
  /** Ids of the cells to run after it, in order. */
  readonly run: readonly string[];
  /** What running them again repeats besides computing. */
  readonly caution: IMessage | null;
}

/** Why a fix cannot be made. */
export interface IRefusedFix {
  readonly status: 'changed' | 'refused';
  readonly message: IMessage | string;
}

/**
 * Ask the helper for the edit of a remedy, and check it against the cells.
 *
 * Nothing is changed yet. Rejects with a sentence when the helper refuses.
 */
export async function findFix(
  memory: IKernelMemory,
  panel: NotebookPanel,
  reportId: string,
  remedyId: string,
  trans: TranslationBundle
): Promise<IFix | IRefusedFix> {
  const { model } = panel;
  const cells = [...(model?.cells ?? [])].filter(({ type }) => type === 'code');
  const sources = Object.fromEntries(
    cells.map(cell => [cell.id, cell.sharedModel.getSource()])
  );
  const reply = await memory.request('fix', {
    report_id: reportId,
    remedy_id: remedyId,
    sources
  });
  if (reply.status !== 'ok') {
    return { status: 'changed', message: reply.message };
  }
  const edits = prepare(cells, reply.edits);
  if (edits === null) {
    return {
      status: 'changed',
      message: trans.__('The cell was edited after it failed.')
    };
  }
  const isLocked =
    model?.readOnly === true ||
    edits.some(({ cell }) => cell.getMetadata('editable') === false);
  return isLocked
    ? {
        status: 'refused',
        message: trans.__('The cell is read-only, so nothing was changed.')
      }
    : { status: 'ok', edits, run: reply.run, caution: reply.caution };
}

/**
 * Make a fix: each cell it concerns gets one undo step.
 *
 * Returns false, and changes nothing, when a cell was edited in the meantime.
 */
export function makeFix({ edits }: IFix): boolean {
  const current = edits.every(
    ({ cell, before }) => cell.sharedModel.getSource() === before
  );
  if (current) {
    edits.forEach(apply);
  }
  return current;
}
