import type { IFrameCall, IFrameMessage, IFrameOpening } from '../protocol';

/** One channel between a frame and the helper. */
export interface IChannel {
  /** Resolves once the kernel has the message; never, if it was lost. */
  send(message: IFrameMessage): Promise<void>;
  /** Messages of the helper; ends when the helper closes the channel. */
  readonly messages: AsyncIterable<unknown>;
}

/** The connections that a page offers between a frame and its kernel. */
export interface ITransport {
  /** Receive what the helper sends while it cannot receive from this frame. */
  listen(uid: string, onData: (data: unknown) => void): void;
  open(opening: IFrameOpening): Promise<IChannel>;
  /** Ask without a channel. */
  call(call: IFrameCall): Promise<unknown>;
}

/** The page around an output, with what it allows a frame to do. */
export interface IPage {
  readonly transport: ITransport;
  readonly notebook?: {
    addCell?(code: string, kind: 'code'): unknown;
  };
  /** Request the script of a report; a busy kernel sends it once it is idle. */
  requestScript(): Promise<unknown>;
}
