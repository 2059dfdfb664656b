import type { CommandRegistry } from '@lumino/commands';

import type { IButtonProps } from '../components/button';
import { gapOf } from '../memory/gap';
import { idsOf } from '../memory/items';
import { isRestored } from '../memory/released';
import type { IReleased } from '../protocol';
import type { ReleaseDialog } from '../release/dialog';
import { cancelQueued, queuedIn } from '../release/queue';
import { nameFree } from '../release/words';
import { CommandIDs, type IKernelMemory } from '../tokens';
import type { GaugeModel } from './model';

/** Of JupyterLab; asks before it restarts. */
const RESTART = 'kernelmenu:restart';

/** What can be offered depends on these. */
interface IContext {
  readonly model: GaugeModel;
  readonly commands: CommandRegistry;
  /** `null`: there is no kernel. */
  readonly dialog: ReleaseDialog | null;
  readonly close: () => void;
}

/**
 * What the popup offers, in the order of its buttons: only what would work now.
 */
export function popupActions(context: IContext): IButtonProps[] {
  const { model } = context;
  const { trans } = model;
  const dialog = 'device' in model.reading ? context.dialog : null;
  switch (dialog?.step.kind) {
    case 'choosing':
      return choice(context, dialog);
    case 'begun':
      return choice(context, dialog).map(each => ({ ...each, onPress: null }));
    case 'going':
    case 'waiting':
      return [
        { label: trans.__('Cancel'), onPress: () => void dialog.cancel() }
      ];
    case 'stopping':
      return [{ label: trans.__('Cancel'), onPress: null }];
    case 'done':
      return result(context, dialog, dialog.step.released);
    default:
      return model.current ? numbers(context, model.current) : restart(context);
  }
}

/** Opens the panel; `null`: there is none. */
export function panelOpener(
  context: Omit<IContext, 'dialog'>
): (() => void) | null {
  return command(context, CommandIDs.showPanel, '')[0]?.onPress ?? null;
}

/** What goes with the numbers, or with why there are none. */
function numbers(context: IContext, current: IKernelMemory): IButtonProps[] {
  const { reading, trans } = context.model;
  const label = gapOf(reading, current.state, trans)?.start ?? null;
  const start: IButtonProps[] =
    label === null
      ? []
      : [{ label, isPrimary: true, onPress: () => void current.start() }];
  switch (reading.kind) {
    case 'filling':
    case 'short':
      return [
        ...release(context, current),
        {
          label: trans.__('Interrupt kernel'),
          isAside: true,
          onPress: () => void current.kernel.interrupt()
        }
      ];
    case 'ok':
    case 'queued':
    case 'tight':
    case 'critical':
      return release(context, current);
    case 'off':
      return start;
    case 'problem':
      return [
        ...start,
        ...command(context, CommandIDs.releaseMemory, trans.__('Release GPU'))
      ];
    case 'none':
    case 'idle':
      return command(
        context,
        CommandIDs.dryRun,
        context.model.trans.__('Dry run on a GPU…')
      );
    default:
      return restart(context);
  }
}

function restart(context: IContext): IButtonProps[] {
  const { reading, trans } = context.model;
  return reading.kind === 'disconnected' || reading.kind === 'stopped'
    ? command(context, RESTART, trans.__('Restart kernel…'))
    : [];
}

function release(context: IContext, current: IKernelMemory): IButtonProps[] {
  const { dialog, model } = context;
  const { trans } = model;
  return [
    queuedIn(current.state).length > 0
      ? {
          label: trans.__('Cancel freeing'),
          onPress: () => void cancelQueued(current)
        }
      : {
          label: trans.__('Free memory…'),
          isPrimary: true,
          onPress: () => dialog?.open()
        },
    ...command(context, CommandIDs.showPanel, trans.__('Open panel'))
  ];
}

/** What goes with the checklist. */
function choice(context: IContext, dialog: ReleaseDialog): IButtonProps[] {
  const { trans } = context.model;
  const { isUnmeasured, session } = dialog;
  const { chosen, gain } = session.checklist;
  const isPossible = isUnmeasured || chosen.length > 0;
  const args = { items: idsOf(chosen), kernelId: session.memory.kernel.id };
  const insert = trans.__('Insert as cell');
  return [
    {
      label: isUnmeasured
        ? trans.__('Free when it finishes')
        : nameFree(gain, trans),
      isPrimary: true,
      onPress: isPossible ? () => void dialog.free() : null
    },
    close(dialog, trans.__('Cancel')),
    ...(chosen.length > 0
      ? command(context, CommandIDs.insertCleanupCell, insert, args)
      : [])
  ];
}

function result(
  context: IContext,
  dialog: ReleaseDialog,
  released: IReleased
): IButtonProps[] {
  const { trans } = context.model;
  const { still_held, undo } = released;
  return [
    close(dialog, trans.__('Done')),
    ...(undo.length > 0
      ? [{ label: trans.__('Undo'), onPress: () => void dialog.undo(undo) }]
      : []),
    ...(still_held.length > 0 && !isRestored(released)
      ? command(context, CommandIDs.showPanel, trans.__('Who holds it?'))
      : [])
  ];
}

function close(dialog: ReleaseDialog, label: string): IButtonProps {
  return {
    label,
    onPress: () => {
      dialog.close();
    }
  };
}

/** A command, where it is there and can be run; it ends the popup. */
function command(
  { close: end, commands }: Omit<IContext, 'dialog'>,
  id: string,
  label: string,
  args: { items?: string[]; kernelId?: string } = {}
): IButtonProps[] {
  if (!commands.hasCommand(id) || !commands.isEnabled(id, args)) {
    return [];
  }
  const onPress = (): void => {
    end();
    void commands.execute(id, args);
  };
  return [{ label, onPress }];
}
