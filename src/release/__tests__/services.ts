import { nullTranslator } from '@jupyterlab/translation';

import type { IItem, RequestArgs } from '../../protocol';
import type { IKernelMemory } from '../../tokens';
import { notifyRelease } from '../notifier';
import type { IReleaseServices, ReleaseSession } from '../session';
import { ReleaseSessions } from '../sessions';

const trans = nullTranslator.load('gpu-headroom');

/** An application whose user confirms, or does not. */
export class FakeServices implements IReleaseServices {
  isAgreed = true;

  /** Costs that the user was asked to confirm. */
  readonly prices: string[][] = [];

  /** Requested releases: their items, and the confirmed ones. */
  readonly released: [string[] | null, string[]][] = [];

  /** Kernels of these releases. */
  readonly releasedIn: IKernelMemory[] = [];

  readonly sessions = new ReleaseSessions(this);

  confirm(items: readonly IItem[]): Promise<boolean> {
    this.prices.push(items.map(({ id }) => id));
    return Promise.resolve(this.isAgreed);
  }

  notify(
    { memory }: ReleaseSession,
    { confirmed, items }: RequestArgs<'release'>
  ): Promise<void> {
    this.releasedIn.push(memory);
    this.released.push([items, confirmed]);
    return Promise.resolve();
  }
}

/** The same, with real releases and notifications. */
export class NotifyingServices extends FakeServices {
  override notify(
    session: ReleaseSession,
    args: RequestArgs<'release'>
  ): Promise<void> {
    return notifyRelease(session, args, trans);
  }
}
