import { Notification } from '@jupyterlab/apputils';
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import { releaseIcon } from '../icons';
import type { ItemId } from '../protocol';
import { sentenceOf } from '../reason';
import type { IGpuMemory, IKernelMemory } from '../tokens';
import { insertCleanupCell } from './cleanup';
import { ReleaseCommand } from './releasecommand';
import { saveSnapshot } from './snapshot';

namespace CommandIDs {
  export const releaseMemory = 'gpu-headroom:release-memory';
  export const insertCleanupCell = 'gpu-headroom:insert-cleanup-cell';
  export const saveMemorySnapshot = 'gpu-headroom:save-memory-snapshot';
  export const startHelper = 'gpu-headroom:start-helper';
}

const NO_ARGS = { type: 'object', additionalProperties: false };

const RELEASE_ARGS = {
  type: 'object',
  properties: {
    items: {
      description: 'What to free; everything that is safe when left out.',
      type: 'array',
      items: { enum: ['traceback', 'outputs', 'garbage', 'cache'] }
    },
    reportId: {
      description: 'The out-of-memory report that the release is for.',
      type: 'string'
    },
    toolbar: {
      description: 'Leave the label out: the icon stands in a toolbar.',
      type: 'boolean'
    }
  }
};

interface IParts {
  readonly commands: CommandRegistry;
  readonly memory: IGpuMemory;
  readonly notebooks: INotebookTracker | null;
  readonly trans: TranslationBundle;
}

/** The kernel of the focused document, where it can be asked for anything. */
function target(memory: IGpuMemory): IKernelMemory | null {
  const { current } = memory;
  const phase = current?.state.phase;
  return phase === 'absent' || phase === 'disconnected' ? null : current;
}

/**
 * Add the commands, and keep what they show up to date.
 */
export function addCommands(parts: IParts): void {
  addRelease(parts);
  addCleanup(parts);
  addSnapshot(parts);
  addStart(parts);
  new CommandRefresher(parts);
}

function addRelease({ commands, memory, trans }: IParts): void {
  const command = new ReleaseCommand(trans);
  commands.addCommand(CommandIDs.releaseMemory, {
    label: args => (args.toolbar ? '' : trans.__('Release GPU')),
    caption: trans.__(
      'Release GPU: frees what failed cells and unnamed outputs hold, and unused cache. You lose %debug for past errors.'
    ),
    icon: releaseIcon,
    describedBy: { args: RELEASE_ARGS },
    isEnabled: () => target(memory) !== null,
    execute: async args => {
      const kernel = target(memory);
      if (kernel) {
        await command.run(kernel, {
          items: (args.items as ItemId[] | undefined) ?? null,
          report_id: (args.reportId as string | undefined) ?? null
        });
      }
    }
  });
}

function addCleanup({ commands, memory, notebooks, trans }: IParts): void {
  const isEnabled = (): boolean =>
    target(memory)?.state.phase === 'live' &&
    notebooks?.currentWidget?.model?.readOnly === false;
  commands.addCommand(CommandIDs.insertCleanupCell, {
    label: trans.__('Insert Clean-up Cell'),
    caption: trans.__(
      'Insert a cell below with code that frees GPU memory; it is not run.'
    ),
    describedBy: { args: NO_ARGS },
    isEnabled,
    execute: async () => {
      const kernel = target(memory);
      const panel = notebooks?.currentWidget;
      if (!kernel || !panel || !isEnabled()) {
        return;
      }
      try {
        await insertCleanupCell(kernel, panel);
      } catch (reason) {
        Notification.error(
          trans.__('No cell was inserted: %1', sentenceOf(reason))
        );
      }
    }
  });
}

function addSnapshot({ commands, memory, trans }: IParts): void {
  commands.addCommand(CommandIDs.saveMemorySnapshot, {
    label: trans.__('Save Memory Snapshot'),
    caption: trans.__(
      "Write PyTorch's memory snapshot beside the notebook's kernel, for its memory viewer."
    ),
    describedBy: { args: NO_ARGS },
    isEnabled: () => memory.current?.state.phase === 'live',
    execute: async () => {
      if (memory.current) {
        await saveSnapshot(memory.current, trans);
      }
    }
  });
}

function addStart({ commands, memory, trans }: IParts): void {
  const isOff = (): boolean => memory.current?.state.phase === 'off';
  commands.addCommand(CommandIDs.startHelper, {
    label: trans.__('Start GPU Memory Helper'),
    caption: trans.__('Show the GPU memory of this kernel from now on.'),
    describedBy: { args: NO_ARGS },
    isEnabled: isOff,
    isVisible: isOff,
    execute: () => memory.current?.start()
  });
}

/**
 * Tells menus and toolbars when the state that the commands depend on changes.
 * It lives as long as the application.
 */
class CommandRefresher {
  constructor(private readonly _parts: IParts) {
    _parts.memory.currentChanged.connect(this._onCurrentChanged, this);
    _parts.notebooks?.currentChanged.connect(this._refresh, this);
    this._onCurrentChanged();
  }

  private _onCurrentChanged(): void {
    this._current?.stateChanged.disconnect(this._onStateChanged, this);
    this._current = this._parts.memory.current;
    this._current?.stateChanged.connect(this._onStateChanged, this);
    this._refresh();
  }

  /** Readings come often; only the phase decides. */
  private _onStateChanged({ state }: IKernelMemory): void {
    if (state.phase !== this._phase) {
      this._refresh();
    }
  }

  private _refresh(): void {
    this._phase = this._current?.state.phase ?? null;
    for (const id of Object.values(CommandIDs)) {
      this._parts.commands.notifyCommandChanged(id);
    }
  }

  private _current: IKernelMemory | null = null;
  private _phase: string | null = null;
}
