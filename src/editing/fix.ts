import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IEdit, IMessage } from '../protocol';
import type { IKernelMemory } from '../tokens';
import {
  apply,
  type IAppliedEdit,
  type ICode,
  ofCell,
  prepare,
  revert,
  whyLocked
} from '../lab/edit';
import { changedSince, type Files } from './files';

/** The edit of a fix whose old lines are still in the notebook. */
export interface IFix {
  readonly status: 'ok';
  readonly edits: readonly IAppliedEdit[];
  /** Ids of the cells to run after it, in order. */
  readonly run: readonly string[];
  /** Side effects repeated by running them again. */
  readonly caution: IMessage | null;
  /**
   * Whether the kernel still reads the file as it was before the edit was made, so that
   * the edit has no effect there; always false for cells.
   */
  isUnseen(): Promise<boolean>;
}

/** Why a fix cannot be made. */
export interface IRefusedFix {
  readonly status: 'changed' | 'refused';
  readonly message: IMessage | string;
}

/**
 * Request the edit of a remedy from the helper, and check it against the cells.
 *
 * Changes nothing yet. Rejects with a sentence if the helper refuses.
 *
 * @param known - edits to make in their place, as tried on a simulated GPU
 */
export async function findFix(
  memory: IKernelMemory,
  panel: NotebookPanel,
  reportId: string,
  remedyId: string,
  files: Files,
  trans: TranslationBundle,
  known: readonly IEdit[] = []
): Promise<IFix | IRefusedFix> {
  const { model } = panel;
  const cells = [...(model?.cells ?? [])].filter(({ type }) => type === 'code');
  const sources = Object.fromEntries(
    cells.map(cell => [cell.id, cell.sharedModel.getSource()])
  );
  const ask = async () =>
    memory.request('fix', {
      report_id: reportId,
      remedy_id: remedyId,
      sources
    });
  const reply = await ask();
  if (reply.status !== 'ok') {
    return { status: 'changed', message: reply.message };
  }
  const scripts = new Map<string, ICode>();
  const wanted = known.length > 0 ? known : reply.edits;
  const edits = await prepare(wanted, id => {
    const cell = cells.find(cellModel => cellModel.id === id);
    const script = cell ? undefined : files.find(panel, id);
    if (script) {
      scripts.set(id, script);
    }
    return cell ? ofCell(panel, id, trans) : script;
  });
  const [script] = scripts.keys();
  if (edits === null) {
    return {
      status: 'changed',
      message:
        script === undefined
          ? trans.__('The cell was edited after it failed.')
          : changedSince(script, trans)
    };
  }
  const why = whyLocked(panel, edits, trans);
  return why !== null
    ? { status: 'refused', message: why }
    : {
        status: 'ok',
        edits,
        run: reply.run,
        caution: reply.caution,
        isUnseen: async () =>
          script !== undefined && (await ask()).status === 'ok'
      };
}

/**
 * Make a fix, with one undo step in each of its cells.
 *
 * Returns false, and changes nothing, if a cell was edited in the meantime; rejects
 * with a sentence if a file was, or if the kernel reads another one.
 */
export async function makeFix(
  { edits, isUnseen }: IFix,
  trans: TranslationBundle
): Promise<boolean> {
  if (!(await apply(edits))) {
    return false;
  }
  const isLost = await isUnseen().catch(() => true);
  if (isLost) {
    throw new Error(
      (await revert(edits))
        ? trans.__(
            'The kernel reads another copy of this file, so nothing was changed.'
          )
        : trans.__(
            'The kernel reads another copy of this file. The edit stays: a cell was changed meanwhile.'
          )
    );
  }
  return true;
}
