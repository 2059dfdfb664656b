/** What the scripts of the page, of its frames and of the tests say to each other. */

/** Which comm messages of the kernel reach a frame: those whose request is under way, or all. */
export type Delivery = 'strict' | 'lenient';

/** Values that travel as JSON. */
export type Data = Record<string, unknown>;

/** The first message to a frame; the port for all others comes with it. */
export interface IBeginning {
  /** Whether the outputs were made in this session of the page. */
  trusted: boolean;
  dark: boolean;
  /** Whether `google.colab.notebook.addCell` is there. */
  canInsert: boolean;
  /** Whether a comm that is opened ever is. */
  canOpen: boolean;
}

/** From a frame to the page; `call` numbers what is answered. */
export type FromFrame =
  | { type: 'open'; call: number; target: string; data: unknown }
  | { type: 'send'; call: number; comm: string; data: unknown }
  | { type: 'close'; comm: string }
  | { type: 'register'; target: string }
  | {
      type: 'invoke';
      call: number;
      name: string;
      args: unknown[];
      kwargs: Data;
    }
  | { type: 'insert'; code: string; kind: string }
  | { type: 'height'; pixels: number }
  | { type: 'blocked'; uri: string };

/** From the page to a frame. */
export type ToFrame =
  | { type: 'answer'; call: number; value: unknown }
  | { type: 'refusal'; call: number; reason: string }
  | { type: 'opened'; comm: string; target: string; data: unknown }
  | { type: 'message'; comm: string; data: unknown }
  | { type: 'closed'; comm: string }
  | { type: 'html'; html: string };

/** An output of a cell, as the kernel said it. */
export interface IOutput {
  /** `stream`, `display_data`, `execute_result` or `error`. */
  type: string;
  content: Data;
}

/** A cell as a notebook file keeps it. */
export interface ISavedCell {
  source: string;
  outputs: IOutput[];
}

/** How a run ended. */
export interface IRun {
  /** `ok`, `error` or `aborted`. */
  status: string;
  executionCount: number | null;
}

/** What a frame sent to the kernel. */
export interface ISent {
  cell: string;
  type: 'open' | 'send' | 'close' | 'invoke';
  data: unknown;
}

/** What the tests see of the page, as `window.colab`. */
export interface IColab {
  /** All that frames have sent to the kernel. */
  readonly sent: ISent[];
  /** How many messages of the kernel have reached the frames of each cell. */
  readonly heard: Readonly<Record<string, number>>;
  /** What frames tried to load from a network, and were refused. */
  readonly blocked: string[];
  /** How many comm messages of the kernel came to no frame: their request was over. */
  readonly dropped: number;
  /** The targets of comms that the kernel opened and nobody claimed. */
  readonly unclaimed: string[];
  /** Prints whose request was no cell's. */
  readonly strays: string[];
  /** Resolves once the kernel can be talked to. */
  readonly ready: Promise<void>;

  /** Add a cell at the end. Returns its name. */
  add: (source: string) => string;

  /** Run a cell, anew where it has run: its outputs and its frame go first. */
  run: (cell: string) => void;

  /** Whether a cell was run and has not ended. */
  runs: (cell: string) => boolean;

  /** Resolves when a cell that was run has ended. */
  ended: (cell: string) => Promise<IRun>;

  /** The names of all cells, from the top. */
  cells: () => string[];

  source: (cell: string) => string;
  outputs: (cell: string) => IOutput[];

  /** Answer `input()`, now or when it is asked. */
  answer: (text: string) => void;

  /** Interrupt what the kernel runs. */
  interrupt: () => Promise<void>;

  /** Restart the kernel; resolves when the new process can be talked to. */
  restart: () => Promise<void>;

  /** What would be in the notebook's file. */
  save: () => ISavedCell[];

  /** Show cells of a file; their outputs are not of this session. */
  show: (cells: ISavedCell[]) => void;
}

declare global {
  /** The page of the tests. */
  var colab: IColab;
}
