import type { IMemoryState } from '../memory/state';
import type { IRequests } from '../protocol';
import { sentenceOf } from '../text/reason';
import type { IKernelFacts } from './handshake';
import type { PackName } from './helper';

/** Maximum number of times that a pack is injected into one helper without a click. */
const MOST_ATTEMPTS = 2;

/** Delay from a failed attempt to the second one, in milliseconds. */
const REST_MS = 60_000;

/** The pack that each request needs. */
const PACKS: { readonly [K in keyof IRequests]?: PackName } = {
  workers: 'WORKERS_PACK',
  follow: 'WORKERS_PACK',
  worker_release: 'WORKERS_PACK',
  dry_run: 'DRY_RUN_PACK',
  rerun: 'DRY_RUN_PACK',
  rescue: 'DRY_RUN_PACK'
};

/** Thrown when a part of the helper could not be injected; a click tries again. */
export class PackMissing extends Error {}

/** One pack in one helper. */
interface IPack {
  /** Why the last attempt failed; `null`: it succeeded. */
  readonly problem: Promise<string | null>;
  readonly attempts: number;
  /** When it failed, in milliseconds; `null`: it has not. */
  failedAt: number | null;
}

/**
 * Injects packs that are needed later into a kernel whose helper was injected, each
 * once per helper. An installed helper has all of them.
 */
export class LaterPacks {
  constructor(private readonly _options: IKernelFacts) {}

  /** Inject the pack for workers once a reading lists some. */
  look(state: IMemoryState): void {
    if (state.sample?.workers) {
      void this._bring('WORKERS_PACK', state, false);
    }
  }

  /**
   * Inject the pack that a request needs, if any. Never rejects.
   *
   * @returns why it could not be injected
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
            'A part of GPU Headroom could not be loaded in this kernel: %1',
            problem
          )
        )
      : null;
  }

  /** Retry failed packs after a click. Never rejects. */
  async retry(state: IMemoryState): Promise<void> {
    const packs = [...this._packs.keys()];
    await Promise.all(packs.map(async pack => this._bring(pack, state, true)));
  }

  private async _bring(
    which: PackName,
    { hello }: IMemoryState,
    isClick: boolean
  ): Promise<string | null> {
    if (!hello || hello.installed) {
      return null;
    }
    if (hello.helper_id !== this._helperId) {
      this._helperId = hello.helper_id;
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
  /** Id of the helper that has the packs. */
  private _helperId: string | null = null;
}

/** Whether another attempt at a pack is due. */
function isDue({ attempts, failedAt }: IPack, isClick: boolean): boolean {
  return (
    failedAt !== null &&
    (isClick || (attempts < MOST_ATTEMPTS && Date.now() - failedAt >= REST_MS))
  );
}
