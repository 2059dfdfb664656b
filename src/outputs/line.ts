import type { Event } from '../protocol';
import type { IChannel } from './transport';

/** A message of a frame. */
export interface ISent {
  /** Of all its messages, upward. */
  readonly number: number;
  readonly sentAt: number;
  /** When the kernel had it; `null`: not yet. */
  arrivedAt: number | null;
}

/** A channel of a frame, or what comes without one. */
export class Line {
  /**
   * @param number - of the message that opens it; 0: it is no channel
   * @param sent - the message that waits for its answer; `null`: none
   */
  constructor(
    readonly number: number,
    public sent: ISent | null
  ) {}

  channel: IChannel | null = null;

  /** Whether anything was received on it. */
  isOpen = false;

  /** The highest number of an event received on it. */
  seen = 0;

  /** Return the events that are new on it. */
  take(events: readonly (readonly [number, Event])[]): Event[] {
    return events.flatMap(([number, event]) => {
      const isNew = number > this.seen;
      this.seen = Math.max(number, this.seen);
      return isNew ? [event] : [];
    });
  }
}
