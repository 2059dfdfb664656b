import type { IMemoryState } from '../memory/state';
import type { IRequests } from '../protocol';
import { sentenceOf } from '../text/reason';
import type { IKernelFacts } from './handshake';
import type { PackName } from './helper';

/** How often a pack is put into one life of a helper without a click. */
const MOST_ATTEMPTS = 2;

/** How long after a failure the second of them is made. */
const REST_MS = 60_000;

/** The requests that need a later pack. */
const PACKS: { readonly [K in keyof IRequests]?: PackName } = {
  workers: 'WORKERS_PACK',
  follow: 'WORKERS_PACK',
  worker_release: 'WORKERS_PACK',
  dry_run: 'DRY_RUN_PACK',
  rerun: 'DRY_RUN_PACK',
  rescue: 'DRY_RUN_PACK'
};

/** A part of the helper could not be put into the kernel; a click tries again. */
export class PackMissing extends Error {}

/** One pack in one life of a helper. */
interface IPack {
  /** Why the last attempt failed; `null`: it did not. */
  readonly problem: Promise<string | null>;
  readonly attempts: number;
  /** When it failed, in milliseconds; `null`: it has not. */
  failedAt: number | null;
}

/**
 * Puts packs of later need into a kernel whose helper was put there: each once in a
 * life of the helper. An installed helper has all of them.
 */
export class LaterPacks {
  constructor(private readonly _options: IKernelFacts) {}

  /** Bring the pack for workers once a reading names some. */
  look(state: IMemoryState): void {
    if (state.sample?.workers) {
      void this._bring('WORKERS_PACK', state, false);
    }
  }

  /**
   * Bring the pack that a request needs, if it needs one. Never rejects.
   *
   * @returns why it could not be brought
   */
  async prepare(
    type: keyof IRequests,
    state: IMemoryState
  ): Promise<PackMissing | null> {
    const which = PACKS[type];
    // Of these requests only `workers` is sent without a click.
    const isClick = type !== 'workers';
    const problem = which && (await this._bring(which, state, isClick));
    return problem
      ? new PackMissing(
          this._options.trans.__(
            'A part of GPU Headroom could not be put into this kernel: %1',
            problem
          )
        )
      : null;
  }

  /** Try again what has failed, on a click. Never rejects. */
  async retry(state: IMemoryState): Promise<void> {
    const packs = [...this._packs.keys()];
    await Promise.all(packs.map(async each => this._bring(each, state, true)));
  }

  private async _bring(
    which: PackName,
    { hello }: IMemoryState,
    isClick: boolean
  ): Promise<string | null> {
    if (!hello || hello.installed) {
      return null;
    }
    if (hello.life_id !== this._life) {
      this._life = hello.life_id;
      this._packs.clear();
    }
    const last = this._packs.get(which);
    if (last && !isDue(last, isClick)) {
      return last.problem;
    }
    const pack: IPack = {
      problem: this._inject(which),
      attempts: (last?.attempts ?? 0) + 1,
      failedAt: null
    };
    this._packs.set(which, pack);
    if ((await pack.problem) !== null) {
      pack.failedAt = Date.now();
    }
    return pack.problem;
  }

  private async _inject(which: PackName): Promise<string | null> {
    const { inject, readBootstrap } = this._options;
    try {
      return await inject(await readBootstrap(which));
    } catch (reason) {
      return sentenceOf(reason);
    }
  }

  private readonly _packs = new Map<PackName, IPack>();
  /** The life of the helper that they were put into. */
  private _life: string | null = null;
}

/** Whether a pack is to be brought again. */
function isDue({ attempts, failedAt }: IPack, isClick: boolean): boolean {
  return (
    failedAt !== null &&
    (isClick || (attempts < MOST_ATTEMPTS && Date.now() - failedAt >= REST_MS))
  );
}
