import type { Event } from '../protocol';
import type { IChannel } from './transport';

/** A message of a frame. */
export interface ISent {
  /** Sequence number among the frame's messages, ascending. */
  readonly number: number;
  readonly sentAt: number;
  /** When the kernel received it; `null`: not yet. */
  arrivedAt: number | null;
}

/** A channel of a frame, or a stand-in for events that arrive without a channel. */
export class Line {
  /**
   * @param number - of the message that opens it; 0: not a channel
   * @param sent - the message that waits for its reply; `null`: none
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

  /** Return the events that are new on this channel. */
  take(events: readonly (readonly [number, Event])[]): Event[] {
    return events.flatMap(([number, event]) => {
      const isNew = number > this.seen;
      this.seen = Math.max(number, this.seen);
      return isNew ? [event] : [];
    });
  }
}
