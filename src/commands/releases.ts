import type { INotebookTracker } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import { releaseIcon } from '../lab/labicons';
import type { Phase } from '../memory/state';
import type { ReleaseSessions } from '../release/sessions';
import {
  CommandIDs,
  type IGpuMemory,
  type IKernelMemory,
  NO_ARGS
} from '../tokens';
import { leftBehind } from './cellmemory';

const TEXTS = { type: 'array', items: { type: 'string' } };

const ARGS = {
  type: 'object',
  properties: {
    items: {
      ...TEXTS,
      description:
        'Ids of what to free, as a plan names them; everything that is safe when left out.'
    },
    confirmed: {
      ...TEXTS,
      description: 'Those of them that a person was asked for and agreed to.'
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

/** Unreachable cycles and cache go with whatever is freed. */
const ALWAYS = ['garbage', 'cache'];

/** What commands are made of. */
export interface IParts {
  readonly commands: CommandRegistry;
  readonly memory: IGpuMemory;
  readonly notebooks: INotebookTracker | null;
  readonly sessions: ReleaseSessions;
  readonly trans: TranslationBundle;
}

/** Kernels in these phases cannot be asked for anything. */
const MUTE: readonly Phase[] = ['absent', 'disconnected', 'foreign'];

/** The kernel of the focused document, where it can be asked for anything. */
export function target(memory: IGpuMemory): IKernelMemory | null {
  const { current } = memory;
  return current && MUTE.includes(current.state.phase) ? null : current;
}

/**
 * Add the commands that free at once.
 */
export function addReleases(parts: IParts): void {
  addRelease(parts);
  addCellRelease(parts);
}

function addRelease({ commands, memory, sessions, trans }: IParts): void {
  commands.addCommand(CommandIDs.releaseMemory, {
    label: args => (args.toolbar ? '' : trans.__('Release GPU')),
    // A toolbar shows the icon alone.
    caption: [
      trans.__('Release GPU'),
      trans.__(
        'Frees what failed cells and unnamed outputs hold, and unused cache. You lose %debug for past errors.'
      )
    ].join('\n'),
    icon: releaseIcon,
    describedBy: { args: ARGS },
    isEnabled: () => target(memory) !== null,
    execute: async args => {
      const kernel = target(memory);
      if (kernel) {
        await sessions.get(kernel).notify({
          items: (args.items as string[] | undefined) ?? null,
          confirmed: (args.confirmed as string[] | undefined) ?? [],
          report_id: (args.reportId as string | undefined) ?? null
        });
      }
    }
  });
}

function addCellRelease({
  commands,
  memory,
  notebooks,
  sessions,
  trans
}: IParts): void {
  const left = (): string[] =>
    leftBehind(
      notebooks?.currentWidget?.content.activeCell ?? null,
      memory.current?.state.runs ?? []
    );
  const live = (): IKernelMemory | null =>
    memory.current?.state.phase === 'live' ? memory.current : null;
  commands.addCommand(CommandIDs.releaseCellMemory, {
    label: trans.__('Release Memory of This Cell'),
    caption: trans.__(
      'Free what the error of the active cell and its displayed value hold. You lose %debug for the error.'
    ),
    describedBy: { args: NO_ARGS },
    isEnabled: () => live() !== null && left().length > 0,
    execute: async () => {
      const kernel = live();
      const items = left();
      if (kernel && items.length > 0) {
        await sessions.get(kernel).notify({
          items: [...items, ...ALWAYS],
          confirmed: [],
          report_id: null
        });
      }
    }
  });
}
