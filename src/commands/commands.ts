import { Notification } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';

import { KernelFollower } from '../kernel/follower';
import { isLocked } from '../lab/locked';
import { CommandIDs, NO_ARGS } from '../tokens';
import { addReleases, type IParts, target } from './releases';

const CLEANUP_ARGS = {
  type: 'object',
  properties: {
    items: {
      description:
        'Ids of what the cell frees, as a plan names them; everything that is safe when left out.',
      type: 'array',
      items: { type: 'string' }
    },
    kernelId: {
      description:
        'The kernel whose items these are: no cell is inserted where another one is focused by now. The focused one when left out.',
      type: 'string'
    }
  }
};

/** Add the commands, and update what they show. */
export function addCommands(parts: IParts): void {
  addReleases(parts);
  addCleanup(parts);
  addSnapshot(parts);
  addStart(parts);
  followState(parts);
}

/**
 * Notify menus and toolbars when the state that the commands depend on changes:
 * readings arrive often, but only the phase matters. Never ends while the application
 * runs.
 */
function followState({ commands, memory, notebooks }: IParts): KernelFollower {
  const kernel = new KernelFollower(memory);
  const refresh = (): void => {
    // Commands of another plugin may be missing.
    Object.values(CommandIDs)
      .filter(id => commands.hasCommand(id))
      .forEach(id => {
        commands.notifyCommandChanged(id);
      });
  };
  kernel.phaseChanged.connect(refresh);
  notebooks?.currentChanged.connect(refresh);
  notebooks?.activeCellChanged.connect(refresh);
  refresh();
  return kernel;
}

function addCleanup({ commands, memory, notebooks, trans }: IParts): void {
  /**
   * A console may have the focus, whose items are not those of the notebook beside it.
   */
  const place = (): NotebookPanel | null => {
    const panel = notebooks?.currentWidget;
    const kernel = panel?.sessionContext.session?.kernel;
    return panel && kernel && kernel.id === target(memory)?.kernel.id
      ? panel
      : null;
  };
  const isEnabled = (): boolean => {
    const panel = place();
    return target(memory) !== null && panel !== null && !isLocked(panel);
  };
  commands.addCommand(CommandIDs.insertCleanupCell, {
    label: trans.__('Insert Clean-up Cell'),
    describedBy: { args: CLEANUP_ARGS },
    isEnabled,
    execute: async args => {
      const kernel = target(memory);
      const panel = place();
      if (args.kernelId !== undefined && args.kernelId !== kernel?.kernel.id) {
        Notification.error(
          trans.__(
            'No cell was inserted: another notebook has come to the front.'
          ),
          { autoClose: false }
        );
        return;
      }
      if (!kernel || !panel || !isEnabled()) {
        return;
      }
      const items = (args.items as string[] | undefined) ?? null;
      const { insertCleanupCell } = await import('./cleanup');
      await insertCleanupCell(kernel, panel, items, trans);
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
    isEnabled: () => target(memory) !== null,
    execute: async () => {
      const kernel = target(memory);
      if (kernel) {
        const { saveSnapshot } = await import('./snapshot');
        await saveSnapshot(kernel, trans);
      }
    }
  });
}

function addStart({ commands, memory, trans }: IParts): void {
  const isOff = (): boolean => memory.current?.state.phase === 'off';
  commands.addCommand(CommandIDs.startHelper, {
    label: trans.__('Start GPU Memory Helper'),
    describedBy: { args: NO_ARGS },
    isEnabled: isOff,
    isVisible: isOff,
    execute: () => memory.current?.start()
  });
}
