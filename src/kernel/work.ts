import { Signal } from '@lumino/signaling';

import { lifeOf } from '../memory/model';
import { type End, isEndOf, type Work } from '../memory/work';
import type { Event, IReplies, RequestArgs } from '../protocol';
import { sentenceOf } from '../text/reason';
import type { IKernelMemory } from '../tokens';
import { Failed, Gone } from './problem';

/** The helper did not take the work on; the message is its sentence. */
export class NotTaken extends Error {}

/**
 * Have a kernel do work between cells, and wait for its end.
 *
 * The event that tells the end may come before the answer to the request.
 * Rejects with `NotTaken` when the helper refuses, and with a sentence when it
 * fails or is gone before it is done.
 *
 * @param onTaken - called when the kernel has taken the work on
 */
export async function perform<K extends Work>(
  memory: IKernelMemory,
  type: K,
  args: RequestArgs<K>,
  onTaken?: (reply: IReplies[K]) => void
): Promise<End<K>> {
  const watch = new EventWatch(memory);
  try {
    const reply = await memory.request(type, args).catch((reason: unknown) => {
      throw new NotTaken(sentenceOf(reason));
    });
    onTaken?.(reply);
    const end = await watch.find(
      event =>
        isEndOf(event, reply) ||
        (event.type === 'error' && event.request_id === reply.id)
    );
    if (end.type === 'error') {
      throw new Failed(end.message);
    }
    return end as End<K>;
  } finally {
    watch.dispose();
  }
}

/**
 * Collects the events of one kernel life.
 */
class EventWatch {
  constructor(private readonly _memory: IKernelMemory) {
    this._life = lifeOf(_memory.state);
    _memory.eventReceived.connect(this._onEvent, this);
    _memory.stateChanged.connect(this._onStateChanged, this);
    _memory.disposed.connect(this._onLost, this);
  }

  find(isWanted: (event: Event) => boolean): Promise<Event> {
    return new Promise((resolve, reject) => {
      this._settle = () => {
        const found = this._seen.splice(0).find(isWanted);
        if (found) {
          resolve(found);
        } else if (this._lost) {
          reject(new Gone('The kernel is gone.'));
        }
      };
      this._settle();
    });
  }

  dispose(): void {
    Signal.disconnectReceiver(this);
  }

  private _onEvent(_: IKernelMemory, event: Event): void {
    this._seen.push(event);
    this._settle();
  }

  /** A pause of the connection is waited for; a new life never answers. */
  private _onStateChanged(): void {
    const life = lifeOf(this._memory.state);
    if (life !== null && life !== this._life) {
      this._onLost();
    }
  }

  private _onLost(): void {
    this._lost = true;
    this._settle();
  }

  private readonly _life: string | null;
  private readonly _seen: Event[] = [];
  private _lost = false;
  private _settle = (): void => undefined;
}

/**
 * Take back a release that waits, or end the walk of a request. Never rejects:
 * one that has ended meanwhile tells its result.
 */
export async function cancel(memory: IKernelMemory, id: string): Promise<void> {
  await memory.request('cancel', { cancelled_id: id }).catch(() => undefined);
}
