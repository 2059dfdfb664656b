import { trans } from './translation';
import type { IPage } from './transport';

/**
 * The API that Google Colab's page offers to the frames of its outputs, as far as it is
 * used here. None of it is documented: each part is checked before use.
 */

/** A message of a comm. */
export interface IGoogleMessage {
  readonly data?: unknown;
}

/** A comm between a frame and the kernel. */
export interface IGoogleComm {
  /** Resolves once the kernel has the message. */
  send(data: unknown): Promise<void>;
  /** Ends when the comm is closed. */
  readonly messages: AsyncIterable<IGoogleMessage>;
}

/** `google.colab`. */
export interface IGoogleColab {
  readonly kernel?: {
    /** True only in outputs made while this page was open, by its own user. */
    readonly accessAllowed?: boolean;
    /** Resolves to a bundle of MIME types. */
    invokeFunction?(
      name: string,
      args: readonly unknown[],
      kwargs: object
    ): Promise<{ readonly data?: Readonly<Record<string, unknown>> }>;
    readonly comms?: {
      open(target: string, data: unknown): Promise<IGoogleComm>;
      registerTarget(
        target: string,
        opened: (comm: IGoogleComm, message?: IGoogleMessage) => void
      ): void;
    };
  };
  readonly notebook?: IPage['notebook'];
}

/** Comm targets: opened by a frame in the kernel, and by the kernel in a frame. */
const TARGET = 'gpu-headroom-frame';

/** The callback of a frame that can open no comm. */
const CALLBACK = 'gpu-headroom';

/** A comm target and a callback, both for the script of a report. */
const SCRIPT = 'gpu-headroom-script';

/** A comm that is not open by then may never be, in milliseconds. */
const OPENING_MS = 10_000;

/** The page around this output; `null` if it gives the output no access to the kernel. */
export function findPage(): IPage | null {
  const { google } = window as { google?: { colab?: IGoogleColab } };
  const { kernel, notebook } = google?.colab ?? {};
  const { comms } = kernel ?? {};
  if (kernel?.accessAllowed !== true || comms === undefined) {
    return null;
  }
  const call = async (name: string, data: unknown): Promise<unknown> => {
    const result = await kernel.invokeFunction?.(name, [data], {});
    return result?.data?.['application/json'];
  };
  return {
    notebook,
    transport: {
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
      call: data => call(CALLBACK, data)
    },
    requestScript: async () => {
      const comm = await Promise.race([
        comms.open(SCRIPT, {}).catch(() => null),
        new Promise<null>(resolve => {
          setTimeout(resolve, OPENING_MS, null);
        })
      ]);
      return comm ? (await dataOf(comm).next()).value : call(SCRIPT, {});
    }
  };
}

/** Why a request of the user has to wait. */
export function explainWaiting(): string {
  return trans.__('Colab handles one request at a time.');
}

async function* dataOf(comm: IGoogleComm): AsyncGenerator<unknown, void> {
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
