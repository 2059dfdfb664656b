import { CommandIDs, type IKernelMemory } from '../tokens';
import type { IParts } from './releases';

/**
 * Tells menus and toolbars when the state that the commands depend on changes.
 * It lives as long as the application.
 */
export class CommandRefresher {
  constructor(private readonly _parts: IParts) {
    _parts.memory.currentChanged.connect(this._onCurrentChanged, this);
    _parts.notebooks?.currentChanged.connect(this._refresh, this);
    _parts.notebooks?.activeCellChanged.connect(this._refresh, this);
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
    const { commands } = this._parts;
    // Those of another plugin may not be there.
    Object.values(CommandIDs)
      .filter(id => commands.hasCommand(id))
      .forEach(id => {
        commands.notifyCommandChanged(id);
      });
  }

  private _current: IKernelMemory | null = null;
  private _phase: string | null = null;
}
