import type { IGoogleColab, IGoogleComm } from './google';

/** What a frame opens in the kernel, and what the kernel opens in a frame. */
const TARGET = 'gpu-headroom-frame';

/** What a frame calls where it can open nothing. */
const CALLBACK = 'gpu-headroom';

/** What a frame says as it opens its channel. */
interface IOpening {
  readonly version: string;
  readonly uid: string;
  readonly life_id: string;
}

/** One channel between a frame and the helper. */
export interface IChannel {
  /** Resolves once the kernel has the message; never, where that was lost. */
  send(data: unknown): Promise<void>;
  /** What the helper sends; ends when it closes the channel. */
  readonly messages: AsyncIterable<unknown>;
}

/** The ways of a page between a frame and its kernel. */
export interface ITransport {
  /** Hear what the helper says while it cannot hear this frame. */
  listen(uid: string, onData: (data: unknown) => void): void;
  open(opening: IOpening): Promise<IChannel>;
  /** Ask without a channel. */
  call(data: unknown): Promise<unknown>;
}

/**
 * The ways of Colab's page; `null` where it has none for this output, as in one
 * that was saved.
 */
export function colabTransport(colab: IGoogleColab): ITransport | null {
  const { kernel } = colab;
  const { comms } = kernel ?? {};
  if (kernel?.accessAllowed !== true || comms === undefined) {
    return null;
  }
  return {
    listen: (uid, onData) => {
      comms.registerTarget(`${TARGET}/${uid}`, (comm, message) => {
        onData(message?.data);
        void hear(comm, onData);
      });
    },
    open: async opening => {
      const comm = await comms.open(TARGET, opening);
      return {
        send: data => comm.send(data),
        messages: dataOf(comm)
      };
    },
    call: async data => {
      const result = await kernel.invokeFunction?.(CALLBACK, [data], {});
      return result?.data?.['application/json'];
    }
  };
}

async function* dataOf(comm: IGoogleComm): AsyncIterable<unknown> {
  for await (const message of comm.messages) {
    yield message.data;
  }
}

async function hear(
  comm: IGoogleComm,
  onData: (data: unknown) => void
): Promise<void> {
  for await (const data of dataOf(comm)) {
    onData(data);
  }
}
