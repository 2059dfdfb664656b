import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import type { IReleased } from '../protocol';
import type { ReleaseDialog } from '../release/dialog';
import { cancelQueued, queuedIn } from '../release/queue';
import { isRestored } from '../release/result';
import { nameFree } from '../release/words';
import type { IKernelMemory } from '../tokens';
import type { GaugePopup } from './popup';
import type { IPopupAction } from './popupbody';

namespace CommandIDs {
  /** Of the `actions` plugin. */
  export const insertCleanupCell = 'gpu-headroom:insert-cleanup-cell';
  export const releaseMemory = 'gpu-headroom:release-memory';
  /** Of the `panel` plugin. */
  export const showPanel = 'gpu-headroom:show-panel';
  /** Of JupyterLab; asks before it restarts. */
  export const restart = 'kernelmenu:restart';
}

/**
 * What the popup offers: only what would work now.
 */
export class PopupActions {
  constructor(
    private readonly _commands: CommandRegistry,
    private readonly _trans: TranslationBundle
  ) {}

  list(context: GaugePopup.IContext): IPopupAction[] {
    const { model } = context;
    const dialog = 'device' in model.reading ? context.dialog : null;
    switch (dialog?.step.kind) {
      case 'choosing':
        return this._choice(context, dialog);
      case 'freeing':
        return [this._action(this._trans.__('Freeing…'), null, true)];
      case 'waiting':
        return [
          this._action(this._trans.__('Cancel'), () => void dialog.cancel())
        ];
      case 'done':
        return this._result(context, dialog, dialog.step.released);
      default:
        return this._numbers(context, model.current);
    }
  }

  /** What goes with the numbers. */
  private _numbers(
    context: GaugePopup.IContext,
    current: IKernelMemory | null
  ): IPopupAction[] {
    const { reading } = context.model;
    switch (reading.kind) {
      case 'ok':
      case 'queued':
      case 'filling':
      case 'tight':
      case 'critical':
        return current
          ? [
              ...this._release(context, current),
              ...(reading.kind === 'filling' ? [this._interrupt(current)] : [])
            ]
          : [];
      case 'off':
        return current ? [this._start(current, this._trans.__('Start'))] : [];
      case 'problem':
        return [
          ...(current?.state.phase === 'failed'
            ? [this._start(current, this._trans.__('Try again'))]
            : []),
          ...this._command(
            CommandIDs.releaseMemory,
            this._trans.__('Release GPU'),
            context
          )
        ];
      case 'disconnected':
      case 'stopped':
        return this._command(
          CommandIDs.restart,
          this._trans.__('Restart kernel…'),
          context
        );
      default:
        return [];
    }
  }

  private _release(
    context: GaugePopup.IContext,
    current: IKernelMemory
  ): IPopupAction[] {
    const isQueued = queuedIn(current.state).length > 0;
    return [
      isQueued
        ? this._action(
            this._trans.__('Cancel freeing'),
            () => void cancelQueued(current)
          )
        : this._action(
            this._trans.__('Free memory…'),
            () => {
              context.dialog?.open();
            },
            true
          ),
      ...this._command(
        CommandIDs.showPanel,
        this._trans.__('Open panel'),
        context
      )
    ];
  }

  /** What goes with the checklist. */
  private _choice(
    context: GaugePopup.IContext,
    dialog: ReleaseDialog
  ): IPopupAction[] {
    const { checklist, memory } = dialog.session;
    const { chosen, gain } = checklist;
    const free = dialog.isUnmeasured
      ? this._trans.__('Free when it finishes')
      : nameFree(gain, this._trans);
    const isPossible = dialog.isUnmeasured || chosen.length > 0;
    const items = chosen.map(({ id }) => id);
    return [
      this._action(free, isPossible ? () => void dialog.free() : null, true),
      this._action(this._trans.__('Cancel'), () => {
        dialog.close();
      }),
      ...(chosen.length > 0
        ? this._command(
            CommandIDs.insertCleanupCell,
            this._trans.__('Insert as cell'),
            context,
            { items, kernelId: memory.kernel.id }
          )
        : [])
    ];
  }

  private _result(
    context: GaugePopup.IContext,
    dialog: ReleaseDialog,
    released: IReleased
  ): IPopupAction[] {
    const { still_held, undo } = released;
    return [
      this._action(this._trans.__('Done'), () => {
        dialog.close();
      }),
      ...(undo.length > 0
        ? [this._action(this._trans.__('Undo'), () => void dialog.undo(undo))]
        : []),
      ...(still_held.length > 0 && !isRestored(released)
        ? this._command(
            CommandIDs.showPanel,
            this._trans.__('Who holds it?'),
            context
          )
        : [])
    ];
  }

  private _interrupt(current: IKernelMemory): IPopupAction {
    const label = this._trans.__('Interrupt kernel');
    const run = (): void => void current.kernel.interrupt();
    return { ...this._action(label, run), isAside: true };
  }

  private _start(current: IKernelMemory, label: string): IPopupAction {
    return this._action(label, () => void current.start(), true);
  }

  /** @param run - `null`: not possible now */
  private _action(
    label: string,
    run: (() => void) | null,
    isPrimary = false
  ): IPopupAction {
    const isEnabled = run !== null;
    return { label, isPrimary, isEnabled, run: run ?? (() => undefined) };
  }

  /** A command, where it is there and can be run; it ends the popup. */
  private _command(
    id: string,
    label: string,
    { close }: GaugePopup.IContext,
    args: { items?: string[]; kernelId?: string } = {}
  ): IPopupAction[] {
    if (!this._commands.hasCommand(id) || !this._commands.isEnabled(id, args)) {
      return [];
    }
    const run = (): void => {
      close();
      void this._commands.execute(id, args);
    };
    return [this._action(label, run)];
  }
}
