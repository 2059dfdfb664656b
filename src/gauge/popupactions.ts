import type { CommandRegistry } from '@lumino/commands';

import type { IButtonProps } from '../components/button';
import { gapOf } from '../memory/gap';
import { cancelQueued, queuedIn } from '../release/queue';
import { CommandIDs, type IKernelMemory } from '../tokens';
import type { GaugeModel } from './model';

/** Command of JupyterLab, which asks for confirmation before it restarts. */
const RESTART = 'kernelmenu:restart';

/** State that the buttons depend on. */
interface IContext {
  readonly model: GaugeModel;
  readonly commands: CommandRegistry;
  readonly close: () => void;
}

/** Buttons of the popup, in order: only those that are possible now. */
export function popupActions(context: IContext): IButtonProps[] {
  const { current } = context.model;
  return current ? numbers(context, current) : restart(context);
}

/** Buttons beside the numbers, or beside the reason that there are none. */
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
    case 'ok':
    case 'queued':
    case 'tight':
    case 'critical':
      return release(context, current);
    case 'off':
    case 'problem':
      return start;
    case 'none':
    case 'idle':
      return [
        ...command(context, CommandIDs.dryRun, trans.__('Dry Run on a GPU…')),
        ...(context.model.workers ? openPanel(context) : [])
      ];
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
  const { trans } = context.model;
  const label = trans.__('Free memory…');
  const [free] = command(context, CommandIDs.freeMemory, label);
  return [
    ...(queuedIn(current.state).length > 0
      ? [
          {
            label: trans.__('Cancel freeing'),
            onPress: () => void cancelQueued(current)
          }
        ]
      : free
        ? [{ ...free, isPrimary: true }]
        : command(context, CommandIDs.releaseMemory, trans.__('Release GPU'))),
    ...openPanel(context)
  ];
}

function openPanel(context: IContext): IButtonProps[] {
  const label = context.model.trans.__('Open panel');
  return command(context, CommandIDs.showPanel, label);
}

/** A button that runs a command if that exists and is enabled; it closes the popup. */
function command(
  { close: end, commands }: IContext,
  id: string,
  label: string
): IButtonProps[] {
  if (!commands.hasCommand(id) || !commands.isEnabled(id)) {
    return [];
  }
  const onPress = (): void => {
    end();
    void commands.execute(id);
  };
  return [{ label, onPress }];
}
