import type { TranslationBundle } from '@jupyterlab/translation';

import type { OffReason } from '../memory/state';
import type { IReplies } from '../protocol';
import { words } from '../text/messages';
import { type Attempts, WAITS_MS } from './attempts';
import { NoAnswer, NotUnderstood } from './channel';
import type { HelperClient } from './client';
import type { IWork } from './execution';
import type { PackName } from './helper';
import type { Answering } from './probe';
import { Foreign, Refused, Silent } from './problem';

/** Maximum time from starting a helper to its `hello`. */
const HELLO_MS = 1000;

/** Thrown when a later handshake began or the link was disposed. */
class Superseded extends Error {}

/** Result of a handshake; it rejects with an error that `explain` supports. */
export type Outcome =
  | { readonly kind: 'absent' }
  | { readonly kind: 'off'; readonly reason: OffReason }
  | { readonly kind: 'attached'; readonly reply: IReplies['attach'] };

/** Queries and actions on a kernel that are available before its helper replies. */
export interface IKernelFacts {
  /** Whether the kernel's language is Python by name; no helper is started in others. */
  readonly isPython: () => Promise<boolean>;

  /** Why no helper may be started now, or `null`. */
  readonly refusal: () => OffReason | null;

  /** Read the code that starts the helper, with the helper in it or with another pack. */
  readonly readBootstrap: (which?: PackName) => Promise<IWork>;

  /** Execute the bootstrap; resolves to an error message once it ran, or `null`. */
  readonly inject: (bootstrap: IWork) => Promise<string | null>;

  readonly trans: TranslationBundle;
}

/** Options of a handshake. */
interface IOptions extends IKernelFacts {
  readonly client: HelperClient;

  /** Attempts made so far with this kernel process. */
  readonly attempts: Attempts;

  /** Whether the kernel reports an implementation other than IPython. */
  readonly isOther: () => Promise<boolean>;

  /** Whether the kernel reports that no cell runs. */
  readonly isIdle: () => boolean;

  /** Find out whether the kernel runs IPython; no helper is injected into others. */
  readonly probe: () => Promise<Answering>;

  /** Whether no later handshake has begun. */
  readonly isCurrent: () => boolean;

  /** Called when there is no helper and one is being injected. */
  readonly onStarting: () => void;
}

/** Finds the helper of one kernel process, or starts it where that is allowed. */
export class Handshake {
  constructor(private readonly _options: IOptions) {}

  /** @param asked - the user requested it, so settings are ignored */
  async run(asked: boolean): Promise<Outcome> {
    try {
      return await this._run(asked);
    } catch (reason) {
      throw reason instanceof NoAnswer ? new Silent() : reason;
    }
  }

  private async _run(asked: boolean): Promise<Outcome> {
    const { isIdle, isOther, isPython, probe, refusal } = this._options;
    if (!(await this._during(isPython()))) {
      return { kind: 'absent' };
    }
    // A busy kernel is probed only after it has no helper to attach to, as probing
    // would make it look idle. An idle one is probed at the same time.
    const isProbed = isIdle() && (asked || !refusal());
    const probed =
      isProbed && !(await this._during(isOther())) ? probe() : null;
    const found = await this._find(probed);
    if (found) {
      return { kind: 'attached', reply: found };
    }
    if (!probed && (await this._during(isOther()))) {
      throw new Foreign();
    }
    const reason = asked ? null : refusal();
    return reason
      ? { kind: 'off', reason }
      : { kind: 'attached', reply: await this._start(probed) };
  }

  /** Find the running helper; `null` as soon as it is certain that there is none. */
  private async _find(
    probed: Promise<Answering> | null
  ): Promise<IReplies['attach'] | null> {
    const attached = this._attach();
    const known =
      probed?.then(
        answering => (answering === 'IPython' ? null : attached),
        () => attached
      ) ?? attached;
    return this._during(Promise.race([attached, known]));
  }

  /** Inject the helper and attach to it. */
  private async _start(
    probed: Promise<Answering> | null
  ): Promise<IReplies['attach']> {
    const { attempts, inject, onStarting, probe, readBootstrap, trans } =
      this._options;
    if (!attempts.start()) {
      throw new Error(
        trans.__(
          'GPU Headroom was started in this kernel several times but did not keep running.'
        )
      );
    }
    onStarting();
    const [bootstrap, answering] = await this._during(
      Promise.all([readBootstrap(), probed ?? probe()])
    );
    if (answering === 'foreign') {
      throw new Foreign();
    }
    const injected = inject(bootstrap);
    // Sent right after the bootstrap, since a kernel handles one message after the
    // other.
    const early = this._attachOnce().catch(() => null);
    const problem = await this._during(injected);
    if (problem) {
      throw new Error(
        trans.__(
          'GPU Headroom could not be started in this kernel: %1',
          problem
        )
      );
    }
    let reply = (await this._during(early)) ?? (await this._attach());
    if (!reply) {
      // A helper without control sends hello instead, possibly a moment later.
      await this._during(delay(HELLO_MS));
      reply = await this._attach();
    }
    if (!reply) {
      throw new Error(
        trans.__('GPU Headroom was started in this kernel but does not answer.')
      );
    }
    return reply;
  }

  /**
   * Attach, with retries for a kernel that cannot reply yet; `null`: there is no
   * helper.
   */
  private async _attach(): Promise<IReplies['attach'] | null> {
    for (const wait_ms of WAITS_MS) {
      try {
        return await this._attachOnce();
      } catch (reason) {
        if (!(reason instanceof NoAnswer)) {
          throw reason;
        }
      }
      // Some kernels ignore requests that they do not support, and log each of them.
      if (await this._during(this._options.isOther())) {
        return null;
      }
      await this._during(delay(wait_ms));
    }
    return this._attachOnce();
  }

  private async _attachOnce(): Promise<IReplies['attach'] | null> {
    const reply = await this._during(this._options.client.attach());
    if (reply === null || reply.type === 'attach') {
      return reply;
    }
    throw reply.type === 'refused'
      ? new Refused(words(this._options.trans).sentence(reply.message))
      : new NotUnderstood(null);
  }

  /** Await `work`; throws if this handshake was superseded meanwhile. */
  private async _during<T>(work: Promise<T>): Promise<T> {
    const value = await work;
    if (!this._options.isCurrent()) {
      throw new Superseded();
    }
    return value;
  }
}

function delay(wait_ms = 0): Promise<void> {
  return new Promise(resolve => {
    window.setTimeout(resolve, wait_ms);
  });
}
