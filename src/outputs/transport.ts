import type { IFrameMessage, IFrameOpening } from '../protocol';

/** One channel between a frame and the helper. */
export interface IChannel {
  /** Resolves once the kernel has the message; never, where that was lost. */
  send(message: IFrameMessage): Promise<void>;
  /** What the helper sends; ends when it closes the channel. */
  readonly messages: AsyncIterable<unknown>;
}

/** The ways of a page between a frame and its kernel. */
export interface ITransport {
  /** Hear what the helper says while it cannot hear this frame. */
  listen(uid: string, onData: (data: unknown) => void): void;
  open(opening: IFrameOpening): Promise<IChannel>;
}

/** The page around an output, as far as it lets a frame do anything. */
export interface IPage {
  readonly transport: ITransport;
  readonly notebook?: {
    addCell?(code: string, kind: 'code'): unknown;
  };
  /** Request the script of a report; a kernel at work sends it when it is at rest. */
  requestScript(): Promise<unknown>;
}
