import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import { confirmItems } from './confirmation';
import type { Confirm } from './freeing';

namespace CommandIDs {
  /** Of the `actions` plugin. */
  export const releaseMemory = 'gpu-headroom:release-memory';
  export const insertCleanupCell = 'gpu-headroom:insert-cleanup-cell';
}

/** What freeing from the panel needs of the application. */
export interface IFreeingServices {
  readonly confirm: Confirm;

  /** Free in the focused kernel, and tell what came of it. Never rejects. */
  release: (items: string[], confirmed: string[]) => Promise<void>;

  /** Insert a cell that frees; `null` where there is no notebook to take it. */
  readonly insertCell: ((items: string[]) => void) | null;
}

/**
 * What freeing needs, as commands and dialogs of the application.
 */
export class FreeingServices implements IFreeingServices {
  constructor(
    private readonly _commands: CommandRegistry,
    private readonly _trans: TranslationBundle
  ) {}

  readonly confirm: Confirm = items => confirmItems(items, this._trans);

  get insertCell(): ((items: string[]) => void) | null {
    const id = CommandIDs.insertCleanupCell;
    return this._commands.hasCommand(id) && this._commands.isEnabled(id)
      ? items => void this._commands.execute(id, { items })
      : null;
  }

  async release(items: string[], confirmed: string[]): Promise<void> {
    await this._commands.execute(CommandIDs.releaseMemory, {
      items,
      confirmed
    });
  }
}
