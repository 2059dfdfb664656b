import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IFix } from '../editing/fix';
import { explain } from '../kernel/problem';
import { NotTaken, Task } from '../kernel/task';
import type { IItem, IMessage, IReport } from '../protocol';
import type { IKernelMemory } from '../tokens';

/** What running the cells of a fix again costs a person. */
export interface ICost {
  /** What is repeated, and what was trained and would be lost. */
  readonly cautions: readonly (IMessage | string)[];
  /** What is deleted first. */
  readonly items: readonly IItem[];
  /** Whether what was trained can be saved before. */
  readonly saves: boolean;
}

/**
 * Ask the helper what running the cells of a fix again would cost, once it has
 * been made. Nothing is freed by it. `null`: the question was taken back.
 *
 * One that cannot tell has nothing deleted, and that is said.
 *
 * @param sources - the cells as they will be, by id
 * @param onTask - called with the question, which can be cancelled
 */
export async function askCost(
  memory: IKernelMemory,
  { report_id }: IReport,
  { caution, run }: IFix,
  sources: Record<string, string>,
  trans: TranslationBundle,
  onTask: (task: Task<'rerun'>) => void
): Promise<ICost | null> {
  const repeated = caution === null ? [] : [caution];
  try {
    const args = { report_id, run: [...run], sources };
    const task = new Task(memory, 'rerun', args);
    onTask(task);
    const { cautions, items, saves, status } = await task.ended;
    return status === 'cancelled'
      ? null
      : { cautions: [...repeated, ...cautions], items, saves };
  } catch (reason) {
    if (!(reason instanceof NotTaken)) {
      throw reason;
    }
    const unknown = trans.__(
      'What else running it again would cost is not known: %1',
      explain(reason, trans)
    );
    return { cautions: [...repeated, unknown], items: [], saves: false };
  }
}

/** The code cells of a notebook by id, as they are once a fix has been made. */
export function sourcesAfter(
  { model }: NotebookPanel,
  { edits }: IFix
): Record<string, string> {
  const cells = [...(model?.cells ?? [])].filter(({ type }) => type === 'code');
  const changed = new Map(edits.map(({ after, code }) => [code.id, after]));
  return Object.fromEntries(
    cells.map(({ id, sharedModel }) => [
      id,
      changed.get(id) ?? sharedModel.getSource()
    ])
  );
}

/**
 * What a person has agreed to: sentences, and names by the cell that makes them
 * anew. In a later try it covers the same again, and nothing else.
 */
export class Consent {
  /** What of a cost has not been agreed to yet. */
  open({ cautions, items, saves }: ICost): ICost {
    return {
      cautions: cautions.filter(each => !this._given.has(said(each))),
      items: items.filter(
        each => !keysOf(each).every(key => this._given.has(key))
      ),
      saves
    };
  }

  give({ cautions, items }: ICost): void {
    for (const key of [...cautions.map(said), ...items.flatMap(keysOf)]) {
      this._given.add(key);
    }
  }

  private readonly _given = new Set<string>();
}

function said(caution: IMessage | string): string {
  return typeof caution === 'string' ? caution : caution.text;
}

/** A name and the cell that makes it anew, which stands behind the number of an id. */
function keysOf({ id, names, title }: IItem): string[] {
  const [kind, , ...cell] = id.split(':');
  const own = names.length > 0 ? names : [title.text];
  return own.map(name => JSON.stringify([kind, cell.join(':'), name]));
}
