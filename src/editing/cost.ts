import type { TranslationBundle } from '@jupyterlab/translation';

import { explain } from '../kernel/problem';
import { NotTaken, Task } from '../kernel/task';
import { askConsent } from '../lab/consent';
import type { IItem, IReport } from '../protocol';
import { words } from '../text/messages';
import type { IKernelMemory } from '../tokens';
import type { IFix } from './fix';

/** Cost to the user of running the cells of a fix again. */
export interface ICost {
  /** Repeated work, and training state that would be lost, as sentences. */
  readonly cautions: readonly string[];
  /** Items that are deleted first. */
  readonly items: readonly IItem[];
  /** Whether the training state can be saved before. */
  readonly saves: boolean;
}

/**
 * Ask the helper what running the cells of a fix again would cost, once the fix has
 * been made. Nothing is freed by it. `null`: the request was canceled.
 *
 * If the cost cannot be determined, nothing is deleted and a sentence says so.
 *
 * @param sources - the cells as they will be, by id
 * @param onTask - called with the request, which can be canceled
 */
export async function askCost(
  memory: IKernelMemory,
  { report_id }: IReport,
  { caution, run }: IFix,
  sources: Record<string, string>,
  trans: TranslationBundle,
  onTask: (task: Task<'rerun'>) => void
): Promise<ICost | null> {
  const { sentence } = words(trans);
  const repeated = caution === null ? [] : [sentence(caution)];
  try {
    const args = { report_id, run: [...run], sources };
    const task = new Task(memory, 'rerun', args);
    onTask(task);
    const { cautions, items, saves, status } = await task.ended;
    return status === 'cancelled'
      ? null
      : { cautions: [...repeated, ...cautions.map(sentence)], items, saves };
  } catch (reason) {
    if (!(reason instanceof NotTaken)) {
      throw reason;
    }
    const unknown = trans.__(
      'The cost of running it again is not fully known: %1',
      explain(reason, trans)
    );
    return { cautions: [...repeated, unknown], items: [], saves: false };
  }
}

/**
 * Costs that the user has agreed to: sentences, and names with the cell that re-creates
 * them. A later try needs no consent for the same costs.
 */
export class Consent {
  /** The part of a cost that has not been agreed to yet. */
  open({ cautions, items, saves }: ICost): ICost {
    return {
      cautions: cautions.filter(caution => !this._given.has(caution)),
      items: items.filter(
        item => !keysOf(item).every(key => this._given.has(key))
      ),
      saves
    };
  }

  give({ cautions, items }: ICost): void {
    for (const key of [...cautions, ...items.flatMap(keysOf)]) {
      this._given.add(key);
    }
  }

  private readonly _given = new Set<string>();
}

/** A name and the cell that re-creates it, which follows the number in an id. */
function keysOf({ id, names, title }: IItem): string[] {
  const [kind, , ...cell] = id.split(':');
  const own = names.length > 0 ? names : [title.text];
  return own.map(name => JSON.stringify([kind, cell.join(':'), name]));
}

/** Subject of the question, and what can be done before it is answered. */
interface IQuestion {
  readonly title: string;
  /** A further note; `null`: none. */
  readonly note: string | null;
  /** Saves the training state; resolves to a sentence that says where. */
  readonly save: () => Promise<string>;
}

/**
 * Ask the user, in one dialog, to agree to all costs of running cells again; resolves
 * to whether they agree. Training state can be saved first, after which the dialog is
 * shown again.
 */
export async function agreeTo(
  { cautions, items, saves }: ICost,
  { note, save, title }: IQuestion,
  trans: TranslationBundle
): Promise<boolean> {
  const { sentence } = words(trans);
  const saving = trans.__('Save model and optimizer first');
  const isSafe = items.length === 0;
  const label = isSafe
    ? trans.__('Run it again')
    : trans.__('Delete and run again');
  const costs = [
    ...cautions,
    ...items.map(item => sentence(item.confirm ?? item.title))
  ];
  let first = saves ? saving : undefined;
  let outcome: string | null = null;
  for (;;) {
    const notes = [note, outcome].filter(entry => entry !== null);
    const agreed = await askConsent(
      { title, costs, notes, label, isSafe, first },
      trans
    );
    if (agreed !== saving) {
      return agreed !== null;
    }
    try {
      outcome = await save();
      first = undefined;
    } catch (reason) {
      outcome = explain(reason, trans);
    }
  }
}
