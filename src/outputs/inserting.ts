import { trans } from './translation';
import type { IPage } from './transport';

/** How code gets into a notebook. */
export type Way = 'insert' | 'copy';

/** Result: the code was inserted below, it was copied, or neither was allowed. */
export type Outcome = 'inserted' | 'copied' | 'refused';

/** Inserts code into the notebook, as far as its page allows a frame to. */
export class Inserting {
  constructor(private readonly _page: Pick<IPage, 'notebook'>) {}

  get way(): Way {
    return typeof this._page.notebook?.addCell === 'function'
      ? 'insert'
      : 'copy';
  }

  /**
   * Insert code below, else copy it. Never rejects.
   *
   * Several cells are joined into one, since the position of a second inserted cell is
   * undefined. A cell magic has to be the first line of its own cell.
   */
  async insert(codes: readonly string[]): Promise<Outcome> {
    const { notebook } = this._page;
    const hasMagic = codes.some(code => code.startsWith('%%'));
    const cells = hasMagic ? codes : [codes.join('\n\n')];
    if (this.way === 'insert') {
      try {
        for (const code of cells) {
          await notebook?.addCell?.(code, 'code');
        }
        return 'inserted';
      } catch {
        // The code may still be copied.
      }
    }
    return copy(codes.join('\n\n'));
  }
}

/** Copy a text if the page allows a frame to. Never rejects. */
export async function copy(text: string): Promise<'copied' | 'refused'> {
  try {
    await navigator.clipboard.writeText(text);
    return 'copied';
  } catch {
    return 'refused';
  }
}

/** Result as a sentence. */
export function explain(outcome: Outcome): string {
  switch (outcome) {
    case 'inserted':
      return trans.__('Inserted below, not run yet.');
    case 'copied':
      return trans.__('Copied: paste it into a new cell.');
    case 'refused':
      return trans.__('Select this code and copy it:');
  }
}

/** Select the code that could not be copied. */
export function selectRefused(host: HTMLElement): void {
  const block = host.querySelector('.jp-mod-refused');
  if (block) {
    getSelection()?.selectAllChildren(block);
  }
}
