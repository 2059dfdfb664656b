import type { EngineName, WorkerAction } from './workers';

/** What the person's settings ask of the helper. */
export interface IOptions {
  mark_cells: boolean;
  keep_reports: boolean;
  /** Say names and ids of other processes in cards. */
  name_others: boolean;
  /** Remember the cell and line that made each allocation. */
  record_allocations: boolean;
  /** After an out-of-memory error: offer to free, free at once, or neither. */
  after_oom: 'ask' | 'free' | 'never';
  /** Put the helper into workers: offer it, only where it is called for, or never. */
  measure_workers: 'ask' | 'asked' | 'never';
}

/** What every request carries. */
export interface IEnvelope<K extends string> {
  type: K;
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
}

/** Of a walk through the objects of a kernel. */
interface IAsked {
  /**
   * Whether a person asked for it and waits: it may take long then, and is made
   * beside a thread that trains, as far as that is safe.
   */
  asked: boolean;
}

/** Page to kernel: the arguments of a `gpuHeadroom` debug request. */
export interface IRequests {
  attach: IEnvelope<'attach'> & {
    /** One per browser page and kernel. */
    client_id: string;
    /** Whether readings are shown; else only edges of cells are sent. */
    visible: boolean;
    /** Wanted samples per second while a cell runs. */
    rate_hz: number;
    options: IOptions;
  };
  detach: IEnvelope<'detach'> & { client_id: string };
  sample: IEnvelope<'sample'> & { client_id: string };
  plan: IEnvelope<'plan'> & IAsked;
  holders: IEnvelope<'holders'> & IAsked;
  path: IEnvelope<'path'> & { holder_id: string };
  cells: IEnvelope<'cells'>;
  history: IEnvelope<'history'>;
  snapshot: IEnvelope<'snapshot'> & {
    /** In the kernel's file system; `null`: a new name in its working directory. */
    path: string | null;
  };
  release: IEnvelope<'release'> & {
    /** Ids of a plan; `outputs` is all outputs, `null` the safe set. */
    items: string[] | null;
    /** Ids that a person was asked for and agreed to. */
    confirmed: string[];
    /** The report whose button was pressed. */
    report_id: string | null;
  };
  cancel: IEnvelope<'cancel'> & {
    /** Of a release that waits, or of the request of a walk. */
    cancelled_id: string;
  };
  report: IEnvelope<'report'> & { life_id: string; report_id: string };
  fix: IEnvelope<'fix'> & {
    report_id: string;
    remedy_id: string;
    /** Cell id to its source now. */
    sources: Record<string, string>;
  };
  cleanup: IEnvelope<'cleanup'> & {
    /** Ids of a plan; `null`: the safe set. */
    items: string[] | null;
  };
  rescue: IEnvelope<'rescue'> & {
    /** The report whose button was pressed. */
    report_id: string;
  };
  rerun: IEnvelope<'rerun'> & {
    /** The report whose button was pressed. */
    report_id: string;
    /** Ids of the cells to run, in order. */
    run: string[];
    /** Cell id to its source as it will be; a cell that is not there is as it ran. */
    sources: Record<string, string>;
  };
  explain: IEnvelope<'explain'> & {
    /** The cell that started a process. */
    cell_id: string;
    /** The id of the request that ran it: its outputs stand under it. */
    parent_id: string;
    /** What the process has printed as its error, with the name of its class. */
    message: string;
    /** The steps of its traceback, outermost first; empty: none. */
    traceback: string;
  };
  presence: IEnvelope<'presence'>;
  workers: IEnvelope<'workers'> & {
    /** Part of the name of a host, GPU or worker; empty: all. */
    filter: string;
  };
  follow: IEnvelope<'follow'> & {
    engine: EngineName;
    /** Whether to put the helper there, or to take it back. */
    follow: boolean;
  };
  worker_release: IEnvelope<'worker_release'> & {
    worker_id: string;
    /** `end` only after the user agreed. */
    action: WorkerAction;
  };
  dry_run: IEnvelope<'dry_run'> & {
    /** `end` ends the one that goes on. */
    action: 'begin' | 'end';
    /** Cell id to its source now, in the order in which they run. */
    sources: Record<string, string>;
    /** Cell id to what a person calls it. */
    labels: Record<string, string>;
    /** On which edits are tried: a name or a size; empty: the kernel's own. */
    gpu: string;
    /** Whose edits are tried; `null`: those that the run leads to. */
    report_id: string | null;
    /** Whether a person agreed to what the cells do besides computing. */
    agreed: boolean;
    /** Whether the largest batch that fits is looked for on each GPU. */
    largest_on_each: boolean;
    /** The last cell of which the host computes values, too; `null`: none. */
    values_to: string | null;
  };
}

/** What the caller of a request gives; the link adds the rest. */
export type RequestArgs<K extends keyof IRequests> = Omit<
  IRequests[K],
  keyof IEnvelope<K> | 'client_id'
>;
