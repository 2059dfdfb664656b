import type { IMemoryState } from '../memory/state';
import type { Handshake } from './handshake';

/**
 * Brings the pack that is for workers, once in a life, as soon as the notebook has
 * any, or an engine that it may send work to. Nothing goes to a worker by that.
 */
export class ForWorkers {
  constructor(private readonly _options: Handshake.IKernelFacts) {}

  /** See whether it is needed now. */
  look({ hello, sample }: IMemoryState): void {
    if (
      sample?.workers &&
      hello &&
      !hello.installed &&
      hello.life_id !== this._broughtTo
    ) {
      this._broughtTo = hello.life_id;
      void this._bring();
    }
  }

  private async _bring(): Promise<void> {
    const { inject, readBootstrap } = this._options;
    const problem = await inject(await readBootstrap('WORKERS_PACK'));
    if (problem !== null) {
      console.warn(
        `GPU Headroom: what workers need was not brought, ${problem}`
      );
    }
  }

  private _broughtTo = '';
}
