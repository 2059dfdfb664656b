import type { Edits } from '../frame/state';
import type { IGoogleColab } from './google';
import { trans } from './translation';

/** What became of code: it stands below, it was copied, or neither was allowed. */
export type Outcome = 'inserted' | 'copied' | 'refused';

/** Brings code into the notebook, as far as its page lets a frame do that. */
export class Inserting {
  constructor(private readonly _colab: IGoogleColab) {}

  get way(): Edits {
    return typeof this._colab.notebook?.addCell === 'function'
      ? 'insert'
      : 'copy';
  }

  /** Insert cells below, in this order, else copy them. Never rejects. */
  async insert(codes: readonly string[]): Promise<Outcome> {
    const { notebook } = this._colab;
    if (this.way === 'insert') {
      try {
        for (const code of codes) {
          await notebook?.addCell?.(code, 'code');
        }
        return 'inserted';
      } catch {
        // It may still be copied.
      }
    }
    return (await copy(codes.join('\n\n'))) ? 'copied' : 'refused';
  }
}

/** Copy a text; false where the page does not let a frame do that. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** What became of code, as a sentence. */
export function explain(outcome: Outcome): string {
  switch (outcome) {
    case 'inserted':
      return trans.__('Inserted below, not run yet.');
    case 'copied':
      return trans.__('Copied: paste it into a new cell.');
    case 'refused':
      return trans.__('Select this code, and copy it into a new cell:');
  }
}

/** Select the code that could not be copied. */
export function selectRefused(host: HTMLElement): void {
  const block = host.querySelector('.jp-mod-offered');
  if (block) {
    getSelection()?.selectAllChildren(block);
  }
}
