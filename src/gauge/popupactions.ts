import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import type { IKernelMemory } from '../tokens';
import type { GaugePopup } from './popup';
import type { IPopupAction } from './popupbody';

namespace CommandIDs {
  /** Of the `actions` plugin. */
  export const insertCleanupCell = 'gpu-headroom:insert-cleanup-cell';
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
    const { model, freeing } = context;
    const { current, reading } = model;
    if (freeing.step.kind === 'done') {
      return [this._done(context)];
    }
    switch (reading.kind) {
      case 'ok':
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
        return current?.state.phase === 'failed'
          ? [this._start(current, this._trans.__('Try again'))]
          : [];
      case 'disconnected':
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
    const { freeing } = context;
    if (freeing.step.kind === 'waiting') {
      return [
        {
          label: this._trans.__('Cancel'),
          isPrimary: false,
          isEnabled: true,
          run: () => void freeing.cancel(current)
        }
      ];
    }
    const isFreeing = freeing.step.kind === 'freeing';
    return [
      {
        label: isFreeing
          ? this._trans.__('Freeing…')
          : this._trans.__('Release GPU'),
        isPrimary: true,
        isEnabled: !isFreeing,
        run: () => void freeing.start(current)
      },
      ...this._command(
        CommandIDs.showPanel,
        this._trans.__('Open panel'),
        context
      ),
      ...this._command(
        CommandIDs.insertCleanupCell,
        this._trans.__('Insert clean-up cell'),
        context
      )
    ];
  }

  private _interrupt(current: IKernelMemory): IPopupAction {
    return {
      label: this._trans.__('Interrupt kernel'),
      isPrimary: false,
      isEnabled: true,
      isAside: true,
      run: () => void current.kernel.interrupt()
    };
  }

  private _start(current: IKernelMemory, label: string): IPopupAction {
    return {
      label,
      isPrimary: true,
      isEnabled: true,
      run: () => void current.start()
    };
  }

  private _done({ freeing }: GaugePopup.IContext): IPopupAction {
    return {
      label: this._trans.__('Done'),
      isPrimary: false,
      isEnabled: true,
      run: () => {
        freeing.reset();
      }
    };
  }

  /** A command, where it is there and can be run; it ends the popup. */
  private _command(
    id: string,
    label: string,
    { close }: GaugePopup.IContext
  ): IPopupAction[] {
    if (!this._commands.hasCommand(id) || !this._commands.isEnabled(id)) {
      return [];
    }
    const run = (): void => {
      close();
      void this._commands.execute(id);
    };
    return [{ label, isPrimary: false, isEnabled: true, run }];
  }
}
