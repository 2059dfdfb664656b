import { KernelFollower } from '../kernel/follower';
import { CommandIDs } from '../tokens';
import type { IParts } from './releases';

/**
 * Tells menus and toolbars when the state that the commands depend on changes:
 * readings come often, only the phase decides. It lives as long as the application.
 */
export class CommandRefresher {
  constructor(private readonly _parts: IParts) {
    const { memory, notebooks } = _parts;
    this._kernel = new KernelFollower(memory);
    this._kernel.phaseChanged.connect(this._refresh, this);
    notebooks?.currentChanged.connect(this._refresh, this);
    notebooks?.activeCellChanged.connect(this._refresh, this);
    this._refresh();
  }

  private _refresh(): void {
    const { commands } = this._parts;
    // Those of another plugin may not be there.
    Object.values(CommandIDs)
      .filter(id => commands.hasCommand(id))
      .forEach(id => {
        commands.notifyCommandChanged(id);
      });
  }

  private readonly _kernel: KernelFollower;
}
