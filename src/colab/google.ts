/**
 * What the page of Google Colab offers to the frames of its outputs, as far as it
 * is used here. None of it is documented: each part is looked for before use.
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
    /** Only in outputs made while this page was open, and by its person. */
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
  readonly notebook?: {
    addCell?(code: string, kind: 'code'): unknown;
  };
}
