import type { IHolder } from './holders';
import type { FrameworkName } from './memory';
import type { IMessage } from './message';

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
  source: IMessage;
}

/** The out-of-memory card: untrusted text until a live helper confirms it. */
export interface IReport {
  version: string;
  report_id: string;
  life_id: string;
  time_s: number;
  simulated: boolean;
  /** CUDA failed for good in this kernel: only a restart helps. */
  poisoned: boolean;
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
