/** What one run of a cell did to one device. */
export interface ICellMemory {
  device_index: number;
  change_bytes: number | null;
  peak_bytes: number | null;
  /** False: sampled, say "at least". */
  peak_exact: boolean;
  /** Peak above what was in use at the start: at least, unless the peak is exact. */
  needed_bytes: number | null;
  alloc_retries: number | null;
  ooms: number | null;
}

/** The same cell kept more on each of its last runs. */
export interface IGrowth {
  device_index: number;
  /** How many runs in a row. */
  runs: number;
  bytes_per_run: number;
  /** The name that grew, as a person would write it; `null` while not measured. */
  holder: string | null;
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
  /** How often this cell ran in this life, this run included. */
  run: number;
  growth: IGrowth | null;
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
