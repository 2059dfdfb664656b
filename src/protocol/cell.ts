import * as v from 'valibot';

import { event } from './envelope';
import { atLeast, count, integer, number } from './value';

/** What one run of a cell did to one device. */
export interface ICellMemory extends v.InferOutput<typeof CellMemorySchema> {}
export const CellMemorySchema = v.object({
  device_index: count,
  change_bytes: v.nullable(integer),
  /** The highest in use while it ran, at least. */
  peak_bytes: v.nullable(count),
  /** What it cannot have been above: as `peak_bytes` where that is exact, `null`: no bound. */
  peak_at_most_bytes: v.nullable(count),
  /** Peak above what was in use at the start, at least. */
  needed_bytes: v.nullable(count),
  alloc_retries: v.nullable(count),
  ooms: v.nullable(count)
});

/** The same cell kept more on each of its last runs. */
export interface IGrowth extends v.InferOutput<typeof GrowthSchema> {}
export const GrowthSchema = v.object({
  device_index: count,
  /** How many runs in a row. */
  runs: atLeast(2),
  bytes_per_run: count,
  /** The name that grew, as a person would write it; `null` while not measured. */
  holder: v.nullable(v.string())
});

/** A cell started or ended. */
export interface ICell extends v.InferOutput<typeof CellSchema> {}
export const CellSchema = event('cell', {
  cell_id: v.nullable(v.string()),
  execution_count: v.nullable(count),
  status: v.picklist(['running', 'ok', 'error', 'oom']),
  start_s: number,
  end_s: v.nullable(number),
  memory: v.array(CellMemorySchema),
  /** How often this cell ran in this life, this run included. */
  run: atLeast(1),
  growth: v.nullable(GrowthSchema),
  /** Names in a release the value that this run displayed, if it did. */
  output_id: v.nullable(v.string()),
  /** Of the code that ran; `null` where it is too long to be told from others. */
  source_crc32: v.nullable(count),
  /** The most that was in use by workers while it ran, above its start; `null`: none were. */
  workers_bytes: v.nullable(count)
});

/** A cell ran out of GPU memory; its card comes as display data of that cell. */
export interface IOom extends v.InferOutput<typeof OomSchema> {}
export const OomSchema = event('oom', {
  report_id: v.string(),
  time_s: number,
  cell_id: v.nullable(v.string()),
  device_index: v.nullable(count),
  requested_bytes: v.nullable(count),
  available_bytes: v.nullable(count)
});
