import type { Event } from './event';
import type { Reply } from './reply';

/*
 * The wire of a frame in an output, where no extension is. These are types only: the
 * helper that a frame talks to brought its script, and an output carries no schemas.
 */

/** What an output says of itself. */
export interface IFrameOutput {
  readonly uid: string;
  readonly life_id: string;
  readonly kind: 'gauge' | 'card';
  readonly compact: boolean;
  readonly report_id: string | null;
}

/** What a frame says as it opens its channel. */
export interface IFrameOpening {
  readonly version: string;
  readonly uid: string;
  readonly life_id: string;
}

/** What a frame says on its channel. */
export interface IFrameMessage {
  /** The highest number of an event that it has got. */
  readonly seen: number;
  readonly poll: number;
  readonly request: object | null;
}

/** The same where no channel can be had. */
export interface IFrameCall {
  readonly uid: string;
  readonly seen: number;
  readonly request: object;
}

/** A cell that a fix changes, as it would be. */
export interface IChangedCell {
  readonly cell_id: string;
  readonly execution_count: number | null;
  readonly source: string;
}

/** What the helper sends to a frame, whatever the occasion. */
export interface IFrameEnvelope {
  readonly life_id: string;
  /** The number of the message that this answers; `null`: it was not asked for. */
  readonly poll: number | null;
  readonly reply: Reply | null;
  /** With the reply to a `fix` request, in the order in which they ran. */
  readonly fixed: readonly IChangedCell[] | null;
  /** Numbered upward; each comes again until the frame has said that it has it. */
  readonly events: readonly (readonly [number, Event])[];
}
