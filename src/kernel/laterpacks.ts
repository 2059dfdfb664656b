import type { IMemoryState } from '../memory/state';
import type { Handshake } from './handshake';
import type { PackName } from './helper';

/**
 * Brings what a helper that was put into a kernel lacks at first: each pack once in
 * a life, as soon as something needs it. Where the helper is installed it is there.
 */
export class LaterPacks {
  constructor(private readonly _options: Handshake.IKernelFacts) {}

  /** What is for workers is needed as soon as a reading names some. */
  look(state: IMemoryState): void {
    if (state.sample?.workers) {
      void this.bring('WORKERS_PACK', state);
    }
  }

  /** Never rejects: without it the helper refuses what needs it. */
  async bring(which: PackName, { hello }: IMemoryState): Promise<void> {
    if (hello && !hello.installed) {
      const key = `${which} ${hello.life_id}`;
      const bringing = this._bringing.get(key) ?? this._bring(which);
      this._bringing.set(key, bringing);
      if (!(await bringing)) {
        this._bringing.delete(key);
      }
    }
  }

  private async _bring(which: PackName): Promise<boolean> {
    const { inject, readBootstrap } = this._options;
    const problem = await inject(await readBootstrap(which));
    if (problem !== null) {
      console.warn(
        `GPU Headroom: a part of the helper was not brought, ${problem}`
      );
    }
    return problem === null;
  }

  /** Whether it came, by its name and the life of the helper. */
  private readonly _bringing = new Map<string, Promise<boolean>>();
}
