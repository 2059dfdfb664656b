import { nullTranslator } from '@jupyterlab/translation';

import type { IItem, RequestArgs } from '../../protocol';
import type { IKernelMemory } from '../../tokens';
import { notifyRelease } from '../notifier';
import type { IReleaseServices, ReleaseSession } from '../session';
import { ReleaseSessions } from '../sessions';

const trans = nullTranslator.load('gpu-headroom');

/** An application in which the person agrees, or does not. */
export class FakeServices implements IReleaseServices {
  isAgreed = true;

  /** What the person was asked for. */
  readonly prices: string[][] = [];

  /** What was to be freed and told of: its items, and what of it was confirmed. */
  readonly released: [string[] | null, string[]][] = [];

  /** In which kernels. */
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

/** The same, where releases are made, and told in notifications. */
export class NotifyingServices extends FakeServices {
  override notify(
    session: ReleaseSession,
    args: RequestArgs<'release'>
  ): Promise<void> {
    return notifyRelease(session, args, trans);
  }
}
