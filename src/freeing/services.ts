import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import { ReleaseCommand } from '../actions/releasecommand';
import type { IKernelMemory } from '../tokens';
import { confirmItems } from './confirmation';
import type { Confirm } from './freeing';

namespace CommandIDs {
  /** Of the `actions` plugin. */
  export const insertCleanupCell = 'gpu-headroom:insert-cleanup-cell';
}

/** What freeing from the panel needs of the application. */
export interface IFreeingServices {
  readonly confirm: Confirm;

  /**
   * Free in the kernel whose items these are, whatever is focused by now, and
   * tell what came of it. Never rejects.
   */
  release: (
    memory: IKernelMemory,
    items: string[],
    confirmed: string[]
  ) => Promise<void>;

  /**
   * Insert a cell that frees into the notebook of that kernel; `null` where there
   * is no notebook to take it.
   */
  readonly insertCell:
    | ((memory: IKernelMemory, items: string[]) => void)
    | null;
}

/**
 * What freeing needs, as commands and dialogs of the application.
 */
export class FreeingServices implements IFreeingServices {
  constructor(
    private readonly _commands: CommandRegistry,
    private readonly _trans: TranslationBundle
  ) {
    this._release = new ReleaseCommand(_trans);
  }

  readonly confirm: Confirm = items => confirmItems(items, this._trans);

  get insertCell(): IFreeingServices['insertCell'] {
    const id = CommandIDs.insertCleanupCell;
    return this._commands.hasCommand(id) && this._commands.isEnabled(id)
      ? ({ kernel }, items) =>
          void this._commands.execute(id, { items, kernelId: kernel.id })
      : null;
  }

  async release(
    memory: IKernelMemory,
    items: string[],
    confirmed: string[]
  ): Promise<void> {
    await this._release.run(memory, { items, confirmed, report_id: null });
  }

  private readonly _release: ReleaseCommand;
}
