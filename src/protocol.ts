/**
 * The wire between the kernel helper and the front end.
 *
 * The truth is `python_helper/gpu_headroom/protocol.schema.json`; this is its
 * hand-written mirror, held to it by `__tests__/protocol.spec.ts`. Sizes are
 * integer bytes, times are seconds since the epoch, and units stand in the key.
 * No key is optional: what is not known is `null`.
 */

/** The version spoken here, `major.minor`; a test compares it with the helper's. */
export const PROTOCOL_VERSION = '1.0';

/** Frameworks whose memory can be read. */
export type FrameworkName = 'torch' | 'jax' | 'tensorflow' | 'cupy';

/** Things that a release can free. */
export type ItemId = 'traceback' | 'outputs' | 'garbage' | 'cache';

/** A sentence with its identity: translated by `id`, else shown as `text`. */
export interface IMessage {
  /** Key of the catalogue, such as `cause.activations`. */
  id: string;
  /** Named values; a key ending in `_bytes` is an integer size. */
  params: Record<string, string | number | boolean | null>;
  /** The English sentence; backticks and double asterisks are its only markup. */
  text: string;
}

/** What one framework holds on one device. */
export interface IFramework {
  name: FrameworkName;
  in_use_bytes: number;
  cached_bytes: number | null;
  /** The framework's own monotone peak; the helper never resets it. */
  peak_in_use_bytes: number | null;
  alloc_retries: number | null;
  ooms: number | null;
}

/** One GPU as the kernel sees it. */
export interface IDevice {
  /** Index as the framework counts. */
  index: number;
  name: string | null;
  uuid: string | null;
  /** Everything shown of a simulated device says so. */
  simulated: boolean;
  capacity_bytes: number | null;
  /** A memory fraction lowers the capacity. */
  capacity_limited: boolean;
  free_bytes: number | null;
  outside_bytes: number | null;
  in_use_bytes: number;
  cached_bytes: number;
  /** Outside and in use. */
  used_bytes: number | null;
  /** Free and cached: an upper bound of what the kernel could still get. */
  headroom_bytes: number | null;
  frameworks: IFramework[];
}

/** What one run of a cell did to one device. */
export interface ICellMemory {
  device_index: number;
  change_bytes: number | null;
  peak_bytes: number | null;
  /** False: sampled, say "at least". */
  peak_exact: boolean;
  alloc_retries: number | null;
  ooms: number | null;
}

/** One thing that can be freed. */
export interface IItem {
  id: ItemId;
  title: IMessage;
  cost: IMessage;
  /** `null`: not measured. */
  expected_bytes: number | null;
  /** Nothing that the user named is lost. */
  safe: boolean;
}

/** A name that keeps memory in use. */
export interface IHolder {
  name: string;
  kind:
    | 'parameters'
    | 'gradients'
    | 'optimizer_state'
    | 'activations'
    | 'tensor';
  bytes: number;
}

/** Segments of the bar of the moment of failure, in the order of the bar. */
export type PartKind =
  | 'outside'
  | 'parameters'
  | 'optimizer_state'
  | 'gradients'
  | 'activations'
  | 'other_tensors'
  | 'not_attributed'
  | 'cached'
  | 'free';

export interface IPart {
  kind: PartKind;
  bytes: number;
}

export interface IDiffRow {
  sign: ' ' | '-' | '+';
  /** 1-based line in the cell before the change; for `+`, after it. */
  line: number;
  text: string;
}

/** What a fix would change, for show only. */
export interface IDiff {
  cell_id: string | null;
  execution_count: number | null;
  rows: IDiffRow[];
}

/** Something a person can do about a failure. */
export interface IRemedy {
  /** Identity within its report. */
  id: string;
  kind: 'release' | 'edit' | 'snippet' | 'advice';
  title: IMessage;
  note: IMessage;
  /** Bytes that it is expected to give back or save. */
  effect_bytes: number | null;
  effect_quality: 'measured' | 'estimated' | 'not_measured';
  /** What to type where there are no buttons. */
  type_this: string | null;
  diff: IDiff | null;
}

/** The likeliest cause with its evidence. */
export interface ICause {
  /** Kebab-case id of the rule. */
  rule: string;
  claim: IMessage;
  evidence: IMessage;
}

/** One row of the table under Details. */
export interface IDetail {
  label: IMessage;
  bytes: number | null;
  source: string;
}

/** The out-of-memory card: untrusted text until a live helper confirms it. */
export interface IReport {
  version: string;
  report_id: string;
  life_id: string;
  time_s: number;
  simulated: boolean;
  framework: FrameworkName;
  error_name: string;
  cell_id: string | null;
  execution_count: number | null;
  line: number | null;
  device_index: number | null;
  device_name: string | null;
  capacity_bytes: number | null;
  requested_bytes: number | null;
  available_bytes: number | null;
  in_use_bytes: number | null;
  cached_bytes: number | null;
  outside_bytes: number | null;
  parts: IPart[];
  traceback_bytes: number | null;
  traceback_variables: IHolder[];
  holders: IHolder[];
  /** `null`: no single cause stands out. */
  cause: ICause | null;
  fits_after_free: boolean | null;
  remedies: IRemedy[];
  details: IDetail[];
}

/** What is saved instead of a report when cards are not kept. */
export interface IStub {
  version: string;
  report_id: string;
  life_id: string;
}

/** Lines of one cell to replace, proven by the helper on the text it was sent. */
export interface IEdit {
  cell_id: string;
  /** 1-based. */
  first_line: number;
  old_lines: string[];
  new_lines: string[];
}

/** What the person's settings ask of the helper. */
export interface IOptions {
  mark_cells: boolean;
  keep_reports: boolean;
}

/** The helper lives. */
export interface IHello {
  type: 'hello';
  /** `major.minor`; the major must match. */
  protocol_version: string;
  helper_version: string;
  /** A new one after every kernel restart. */
  life_id: string;
  /** All events of this life come as comm messages with this id. */
  comm_id: string;
  installed: boolean;
  /** False while the second pack is still missing. */
  complete: boolean;
  /** True: requests are answered on the control channel. */
  control: boolean;
}

/** One reading. */
export interface ISample {
  type: 'sample';
  life_id: string;
  seq: number;
  time_s: number;
  /** Why `devices` is empty when it is. */
  state: 'no_framework' | 'not_initialised' | 'no_gpu' | 'live';
  busy: boolean;
  devices: IDevice[];
}

/** A cell started or ended. */
export interface ICell {
  type: 'cell';
  life_id: string;
  cell_id: string | null;
  execution_count: number | null;
  status: 'running' | 'ok' | 'error' | 'oom';
  start_s: number;
  end_s: number | null;
  memory: ICellMemory[];
}

/** A cell ran out of GPU memory; its card comes as display data of that cell. */
export interface IOom {
  type: 'oom';
  life_id: string;
  report_id: string;
  time_s: number;
  cell_id: string | null;
  device_index: number | null;
  requested_bytes: number | null;
  available_bytes: number | null;
}

/** What can be freed, measured between cells after a plan request. */
export interface IPlan {
  type: 'plan';
  life_id: string;
  request_id: string;
  items: IItem[];
  message: IMessage;
}

/** A release ended; every size is measured. */
export interface IReleased {
  type: 'released';
  life_id: string;
  release_id: string;
  report_id: string | null;
  time_s: number;
  status: 'done' | 'nothing' | 'failed' | 'cancelled';
  /** In use before minus after. */
  freed_bytes: number | null;
  /** Reserved before minus after. */
  returned_bytes: number | null;
  in_use_bytes: number | null;
  headroom_before_bytes: number | null;
  headroom_after_bytes: number | null;
  items: { id: ItemId; freed_bytes: number | null }[];
  still_held: IHolder[];
  message: IMessage;
}

/** Something a person should know before it fails. */
export interface IWarning {
  type: 'warning';
  life_id: string;
  time_s: number;
  cell_id: string | null;
  message: IMessage;
}

/** Something in the helper failed; it goes on as far as it can. */
export interface IError {
  type: 'error';
  life_id: string;
  time_s: number;
  where: string;
  message: IMessage;
}

/** The helper ends on purpose. */
export interface IBye {
  type: 'bye';
  life_id: string;
  reason: 'unloaded' | 'replaced';
}

/** Kernel to page. */
export type Event =
  | IHello
  | ISample
  | ICell
  | IOom
  | IPlan
  | IReleased
  | IWarning
  | IError
  | IBye;

/** What every request carries. */
export interface IEnvelope<K extends string> {
  type: K;
  /** Echoed by the reply. */
  id: string;
  protocol_version: string;
}

/** Page to kernel: the arguments of a `gpuHeadroom` debug request. */
export interface IRequests {
  attach: IEnvelope<'attach'> & {
    /** One per browser page and kernel. */
    client_id: string;
    visible: boolean;
    /** Wanted samples per second while a cell runs. */
    rate_hz: number;
    options: IOptions;
  };
  detach: IEnvelope<'detach'> & { client_id: string };
  sample: IEnvelope<'sample'> & { client_id: string };
  plan: IEnvelope<'plan'>;
  release: IEnvelope<'release'> & {
    /** `null`: the safe set. */
    items: ItemId[] | null;
    /** The report whose button was pressed. */
    report_id: string | null;
  };
  cancel: IEnvelope<'cancel'> & { release_id: string };
  report: IEnvelope<'report'> & { life_id: string; report_id: string };
  fix: IEnvelope<'fix'> & {
    report_id: string;
    remedy_id: string;
    /** Cell id to its source now. */
    sources: Record<string, string>;
  };
  cleanup: IEnvelope<'cleanup'>;
  pack: IEnvelope<'pack'> & { data: string };
}

/** What the caller of a request gives; the link adds the rest. */
export type RequestArgs<K extends keyof IRequests> = Omit<
  IRequests[K],
  keyof IEnvelope<K> | 'client_id'
>;

/** Kernel to page: the body of the debug reply. */
export interface IReplies {
  attach: {
    type: 'attach';
    id: string;
    hello: IHello;
    /** Seconds until the lease ends unless renewed. */
    lease_s: number;
    sample: ISample | null;
    /** The running cell, else the last one. */
    cell: ICell | null;
  };
  detach: { type: 'detach'; id: string };
  sample: { type: 'sample'; id: string; sample: ISample; cell: ICell | null };
  plan: { type: 'plan'; id: string; status: 'queued' };
  release: {
    type: 'release';
    id: string;
    release_id: string;
    /** `waiting`: a cell runs; the release starts when that ends. */
    status: 'queued' | 'waiting';
  };
  cancel: { type: 'cancel'; id: string; cancelled: boolean };
  report: {
    type: 'report';
    id: string;
    status: 'known' | 'unknown';
    /** The helper's own copy. */
    report: IReport | null;
    /** The last release made for it. */
    released: IReleased | null;
  };
  fix: {
    type: 'fix';
    id: string;
    /** `changed`: the cell no longer has the line. */
    status: 'ok' | 'changed' | 'unknown';
    edits: IEdit[];
    /** Cell ids to run, in this order, for Apply and re-run. */
    run: string[];
    message: IMessage;
  };
  cleanup: { type: 'cleanup'; id: string; code: string };
  pack: { type: 'pack'; id: string; accepted: boolean };
}

/** Any request that cannot be answered. */
export interface IRefused {
  type: 'refused';
  id: string;
  message: IMessage;
}

/** Any body of a reply. */
export type Reply = IReplies[keyof IReplies] | IRefused;

/**
 * Whether a helper of this `major.minor` version is understood here.
 */
export function isCompatible(version: string): boolean {
  return version.split('.')[0] === PROTOCOL_VERSION.split('.')[0];
}
