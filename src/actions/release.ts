import { Signal } from '@lumino/signaling';

import type { Event, IReleased, RequestArgs } from '../protocol';
import type { IKernelMemory } from '../tokens';

/**
 * Ask the kernel to free, and wait for what came of it.
 *
 * The result comes as an event, and may come before the answer to the request.
 * Rejects with a sentence when the helper refuses or is gone before it is done.
 *
 * @param onWaiting - called with the release's id when it waits for a cell to end
 */
export async function release(
  memory: IKernelMemory,
  args: RequestArgs<'release'>,
  onWaiting?: (releaseId: string) => void
): Promise<IReleased> {
  const watch = new ReleaseWatch(memory);
  try {
    const reply = await memory.request('release', args);
    if (reply.status === 'waiting') {
      onWaiting?.(reply.release_id);
    }
    return await watch.result(reply.release_id);
  } finally {
    watch.dispose();
  }
}

/**
 * Collects the releases of one kernel life.
 */
class ReleaseWatch {
  constructor(private readonly _memory: IKernelMemory) {
    this._life = lifeOf(_memory);
    _memory.eventReceived.connect(this._onEvent, this);
    _memory.stateChanged.connect(this._onStateChanged, this);
    _memory.disposed.connect(this._onLost, this);
  }

  result(releaseId: string): Promise<IReleased> {
    return new Promise((resolve, reject) => {
      this._settle = () => {
        const released = this._seen.get(releaseId);
        if (released) {
          resolve(released);
        } else if (this._lost) {
          reject(new Error('The kernel is gone.'));
        }
      };
      this._settle();
    });
  }

  dispose(): void {
    Signal.disconnectReceiver(this);
  }

  private _onEvent(_: IKernelMemory, event: Event): void {
    if (event.type === 'released') {
      this._seen.set(event.release_id, event);
      this._settle();
    }
  }

  /** A pause of the connection is waited for; a new life never answers. */
  private _onStateChanged(): void {
    const life = lifeOf(this._memory);
    if (life !== null && life !== this._life) {
      this._onLost();
    }
  }

  private _onLost(): void {
    this._lost = true;
    this._settle();
  }

  private readonly _life: string | null;
  private readonly _seen = new Map<string, IReleased>();
  private _lost = false;
  private _settle = (): void => undefined;
}

/** The life of the helper that answers, or `null` while none does. */
export function lifeOf({ state }: IKernelMemory): string | null {
  return state.phase === 'live' ? (state.hello?.life_id ?? null) : null;
}
