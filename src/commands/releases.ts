import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { LabIcon } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';

import { isBusy } from '../memory/model';
import type { IMessage } from '../protocol';
import type { ReleaseSession } from '../release/session';
import type { ReleaseSessions } from '../release/sessions';
import { words } from '../text/messages';
import {
  CommandIDs,
  type IGpuMemory,
  type IKernelMemory,
  NO_ARGS
} from '../tokens';
import { leftBehind } from './cellmemory';

import releaseSvg from '../../style/icons/release.svg';

const ARGS = {
  type: 'object',
  properties: {
    toolbar: {
      description: 'Leave the label out: the icon is in a toolbar.',
      type: 'boolean'
    }
  }
};

/** The whole safe set. */
const SAFE = { items: null, confirmed: [], report_id: null };

/** The chip, opened, with the memory leaving. */
const releaseIcon = new LabIcon({
  name: 'gpu-headroom:release',
  svgstr: releaseSvg
});

/** Unreachable cycles and the cache are freed with any item. */
const ALWAYS = ['garbage', 'cache'];

/** Dependencies of the commands. */
export interface IParts {
  readonly commands: CommandRegistry;
  readonly memory: IGpuMemory;
  readonly notebooks: INotebookTracker | null;
  readonly sessions: ReleaseSessions;
  readonly trans: TranslationBundle;
}

/** The kernel of the focused document, if its helper replies. */
export function target({ current }: IGpuMemory): IKernelMemory | null {
  return current?.state.phase === 'live' ? current : null;
}

/** Add the commands that free at once. */
export function addReleases(parts: IParts): void {
  addRelease(parts);
  addCellRelease(parts);
}

function addRelease(parts: IParts): void {
  const { commands, memory, notebooks, sessions, trans } = parts;
  const id = CommandIDs.releaseMemory;
  const { sentence } = words(trans);
  const gain = (): string => {
    const estimate = memory.current && estimateOf(sessions.get(memory.current));
    return estimate ? sentence(estimate) : '';
  };
  commands.addCommand(id, {
    label: args => (args.toolbar ? '' : trans.__('Release GPU')),
    caption: () =>
      [
        trans.__('Release GPU'),
        gain(),
        trans.__(
          'Frees what failed cells and unnamed outputs hold, and unused cache. You lose %debug for past errors.'
        )
      ]
        .filter(Boolean)
        .join('\n'),
    icon: releaseIcon,
    describedBy: { args: ARGS },
    isEnabled: () => target(memory) !== null,
    execute: async () => {
      const kernel = target(memory);
      await (kernel && sessions.get(kernel).notify(SAFE));
    }
  });
  onPointed(notebooks, id, () => {
    if (memory.current) {
      void estimateOnce(sessions.get(memory.current)).then(() => {
        commands.notifyCommandChanged(id);
      });
    }
  });
}

/**
 * Estimated result of releasing the safe set; `null` unless the measurement is current.
 */
function estimateOf({ checklist: { plan } }: ReleaseSession): IMessage | null {
  return plan.isCurrent ? (plan.last?.message ?? null) : null;
}

/** Measure on hover: once between two cells, and never while a cell runs. */
async function estimateOnce(session: ReleaseSession): Promise<void> {
  const { plan } = session.checklist;
  const { state } = session.memory;
  const isAtRest = state.sample?.state === 'live' && !isBusy(state);
  if (isAtRest && !plan.isCurrent) {
    await plan.measure(false);
  }
}

/**
 * Call a function when a button of a command is hovered or focused. Buttons belong to
 * notebook toolbars, and may be added or removed at any time.
 */
function onPointed(
  notebooks: INotebookTracker | null,
  id: string,
  call: () => void
): void {
  const onEvent = ({ target: node }: Event): void => {
    if (node instanceof Element && node.closest(`[data-command="${id}"]`)) {
      call();
    }
  };
  const listen = ({ node }: NotebookPanel): void => {
    node.addEventListener('pointerover', onEvent);
    node.addEventListener('focusin', onEvent);
  };
  notebooks?.forEach(listen);
  notebooks?.widgetAdded.connect((_, panel) => {
    listen(panel);
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
  commands.addCommand(CommandIDs.releaseCellMemory, {
    label: trans.__('Release Memory of This Cell'),
    caption: trans.__(
      'Free what the error of the active cell and its displayed value hold. You lose %debug for the error.'
    ),
    describedBy: { args: NO_ARGS },
    isEnabled: () => target(memory) !== null && left().length > 0,
    execute: async () => {
      const kernel = target(memory);
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
