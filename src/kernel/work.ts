import { Signal } from '@lumino/signaling';

import { lifeOf } from '../memory/model';
import type { Event, IError, IReplies, RequestArgs } from '../protocol';
import { sentenceOf } from '../text/reason';
import type { IKernelMemory } from '../tokens';
import { Failed, Gone } from './problem';

/** Requests for work that a kernel does between cells. */
type Work =
  | 'cleanup'
  | 'holders'
  | 'path'
  | 'plan'
  | 'release'
  | 'rerun'
  | 'rescue'
  | 'snapshot';

/** The helper did not take the work on; the message is its sentence. */
export class NotTaken extends Error {}

/**
 * Ask a kernel for work that it does between cells, and wait for its end.
 *
 * The event that tells the end may come before the answer to the request.
 * Rejects with `NotTaken` when the helper refuses, and with a sentence when it
 * fails or is gone before it is done.
 *
 * @param find - picks the event that ends the work of this answer
 * @param onTaken - called when the kernel has taken the work on
 */
export async function finish<K extends Work, E extends Exclude<Event, IError>>(
  memory: IKernelMemory,
  type: K,
  args: RequestArgs<K>,
  find: (event: Event, reply: IReplies[K]) => E | null,
  onTaken?: (reply: IReplies[K]) => void
): Promise<E> {
  const watch = new EventWatch(memory);
  try {
    const reply = await memory.request(type, args).catch((reason: unknown) => {
      throw new NotTaken(sentenceOf(reason));
    });
    onTaken?.(reply);
    const end = await watch.result(event =>
      event.type === 'error' && event.request_id === reply.id
        ? event
        : find(event, reply)
    );
    if (end.type === 'error') {
      throw new Failed(end.message);
    }
    return end;
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

  result<E>(find: (event: Event) => E | null): Promise<E> {
    return new Promise((resolve, reject) => {
      this._settle = () => {
        const [found] = this._seen
          .splice(0)
          .flatMap(event => find(event) ?? []);
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
