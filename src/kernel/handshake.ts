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

/** How long a helper that was just started takes to say hello, at most. */
const HELLO_MS = 1000;

/** A later handshake has begun, or the link is disposed. */
class Superseded extends Error {}

/** How a handshake ends; it fails with an error that `explain` knows. */
export type Outcome =
  | { readonly kind: 'absent' }
  | { readonly kind: 'off'; readonly reason: OffReason }
  | { readonly kind: 'attached'; readonly reply: IReplies['attach'] };

/** What is known of a kernel before its helper is. */
export interface IKernelFacts {
  /** Whether the kernel is Python by name; others are left alone. */
  readonly isPython: () => Promise<boolean>;

  /** Why no helper may be started now, or `null`. */
  readonly refusal: () => OffReason | null;

  /** What starts the helper, with the helper in it, or with another pack. */
  readonly readBootstrap: (which?: PackName) => Promise<IWork>;

  /** Execute that; resolves to what went wrong when it has run, or `null`. */
  readonly inject: (bootstrap: IWork) => Promise<string | null>;

  readonly trans: TranslationBundle;
}

/** What a handshake is made of. */
interface IOptions extends IKernelFacts {
  readonly client: HelperClient;

  /** What was tried with this life of the kernel before. */
  readonly attempts: Attempts;

  /** Whether the kernel says to be something else than IPython. */
  readonly isOther: () => Promise<boolean>;

  /** Whether it says that no cell runs. */
  readonly isIdle: () => boolean;

  /** Whether IPython runs in it: nothing is put into others. */
  readonly probe: () => Promise<Answering>;

  /** Whether no later handshake has begun. */
  readonly isCurrent: () => boolean;

  /** Called when nobody is home and the helper is being put in. */
  readonly onStarting: () => void;
}

/**
 * Finds the helper of one life of a kernel, or starts it where that is allowed.
 */
export class Handshake {
  constructor(private readonly _options: IOptions) {}

  /** @param asked - a person asked for it: settings are not consulted */
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
    // A busy kernel would be taken for idle: it is probed when nobody is home. An
    // idle one need not wait for that.
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

  /** The helper that is there; `null` as soon as it is known that there is none. */
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

  /** Put the helper in and attach to it. */
  private async _start(
    probed: Promise<Answering> | null
  ): Promise<IReplies['attach']> {
    const { attempts, inject, onStarting, probe, readBootstrap, trans } =
      this._options;
    if (!attempts.start()) {
      throw new Error(
        trans.__(
          'GPU Headroom was put into this kernel several times and does not stay there.'
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
    // On its heels: a kernel does one thing after the other.
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
      // A helper without control says hello instead, maybe a moment later.
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

  /** Attach, with patience for a kernel that is kept from answering; `null`: nobody home. */
  private async _attach(): Promise<IReplies['attach'] | null> {
    for (const wait_ms of WAITS_MS) {
      try {
        return await this._attachOnce();
      } catch (reason) {
        if (!(reason instanceof NoAnswer)) {
          throw reason;
        }
      }
      // A kernel may answer nothing but what it knows, and log each other question.
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

  /** What `work` gives, if this handshake still counts when it does. */
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
