import type { TranslationBundle } from '@jupyterlab/translation';

import { explain } from '../kernel/problem';
import { askConsent } from '../lab/consent';
import { words } from '../text/messages';
import type { ICost } from './cost';

/** What the question is about, and what can be done before it is answered. */
interface IQuestion {
  readonly title: string;
  /** What else is to be known; `null`: nothing. */
  readonly note: string | null;
  /** Saves what was trained; resolves to a sentence that says where. */
  readonly save: () => Promise<string>;
}

/**
 * Ask a person, in one dialog, for all that running cells again costs; resolves to
 * whether they agree. The button to leave it has the focus. What was trained can be
 * saved first, and then it is asked again.
 */
export async function agreeTo(
  cost: ICost,
  { note, save, title }: IQuestion,
  trans: TranslationBundle
): Promise<boolean> {
  const saving = trans.__('Save model and optimizer first');
  const label =
    cost.items.length > 0
      ? trans.__('Delete and run again')
      : trans.__('Run it again');
  const { sentence } = words(trans);
  const costs = [
    ...cost.cautions.map(each =>
      typeof each === 'string' ? each : sentence(each)
    ),
    ...cost.items.map(item => sentence(item.confirm ?? item.title))
  ];
  let isSaved = false;
  let told: string | null = null;
  for (;;) {
    const agreed = await askConsent(
      {
        title,
        costs,
        notes: [note, told].filter(each => each !== null),
        label,
        isSafe: cost.items.length === 0,
        ...(cost.saves && !isSaved && { first: saving })
      },
      trans
    );
    if (agreed !== saving) {
      return agreed !== null;
    }
    try {
      told = await save();
      isSaved = true;
    } catch (reason) {
      told = explain(reason, trans);
    }
  }
}
