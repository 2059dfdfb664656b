import type { TranslationBundle } from '@jupyterlab/translation';
import * as v from 'valibot';

import { formatRange } from '../memory/peak';
import type { ICell, IDevice } from '../protocol';
import { formatBytes } from '../text/format';

/**
 * On which GPU a notebook last ran, and what it needed there at most. It is kept in
 * the notebook's metadata, which may come from anywhere.
 */
const LastRanSchema = v.object({
  /** `null`: a simulated GPU. */
  name: v.nullable(v.pipe(v.string(), v.maxLength(200))),
  capacity_bytes: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** At least, unless there is no other bound. */
  peak_bytes: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** What it was at most, where that is not the same; `null`: not known. */
  peak_at_most_bytes: v.optional(
    v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1)))
  ),
  /** The cell that needed it. */
  cell_id: v.string()
});
export interface ILastRan extends v.InferOutput<typeof LastRanSchema> {}

/** The key of a notebook's metadata; `false` there keeps us out. */
export const METADATA_KEY = 'gpu_headroom';

/** Peaks that differ by less are the same. */
const ALIKE = 0.02;

/** Characters of a GPU's name in a notification, which is short. */
const MAX_NAME = 30;

type Entry = Readonly<Record<string, unknown>>;

/** What stands in the metadata under our key; `null`: nothing of ours may stand there. */
function entryIn(metadata: unknown): Entry | null {
  if (metadata === undefined) {
    return {};
  }
  return typeof metadata === 'object' &&
    metadata !== null &&
    !Array.isArray(metadata)
    ? (metadata as Entry)
    : null;
}

/** Read the record; `null` where there is none, or none that can be read. */
export function readLastRan(metadata: unknown): ILastRan | null {
  const found = entryIn(metadata)?.last_ran;
  return v.is(LastRanSchema, found) ? found : null;
}

/**
 * The metadata after a cell has run well; `null`: it stays as it is.
 *
 * The highest peak counts, until the cell that had it runs again or is gone: then
 * it counts what the cells need now.
 *
 * @param cells - ids of the cells of the notebook
 */
export function withRun(
  metadata: unknown,
  run: ICell,
  devices: readonly IDevice[],
  cells: readonly string[]
): Entry | null {
  const entry = entryIn(metadata);
  const made = recordOf(run, devices);
  if (entry === null || made === null || !cells.includes(made.cell_id)) {
    return null;
  }
  const before = readLastRan(metadata);
  const isReplaced =
    before === null ||
    made.peak_bytes > before.peak_bytes ||
    made.cell_id === before.cell_id ||
    !cells.includes(before.cell_id);
  return !isReplaced || (before !== null && isAlike(made, before))
    ? null
    : { ...entry, last_ran: made };
}

function recordOf(
  { cell_id, memory, status }: ICell,
  devices: readonly IDevice[]
): ILastRan | null {
  const [most] = memory
    .filter(({ peak_bytes }) => peak_bytes !== null && peak_bytes > 0)
    .sort((a, b) => (b.peak_bytes ?? 0) - (a.peak_bytes ?? 0));
  const device = devices.find(({ index }) => index === most?.device_index);
  const capacity_bytes = device?.capacity_bytes ?? null;
  const { peak_bytes = null, peak_at_most_bytes = null } = most ?? {};
  return status !== 'ok' ||
    !device ||
    cell_id === null ||
    peak_bytes === null ||
    capacity_bytes === null
    ? null
    : {
        name: device.simulated ? null : (device.name ?? 'GPU'),
        capacity_bytes,
        peak_bytes,
        ...(peak_at_most_bytes !== peak_bytes && { peak_at_most_bytes }),
        cell_id
      };
}

function isAlike(one: ILastRan, other: ILastRan): boolean {
  return (
    one.name === other.name &&
    one.cell_id === other.cell_id &&
    one.capacity_bytes === other.capacity_bytes &&
    areClose(one.peak_bytes, other.peak_bytes) &&
    areClose(mostOf(one), mostOf(other))
  );
}

function areClose(one: number | null, other: number | null): boolean {
  return one === null || other === null
    ? one === other
    : Math.abs(one - other) <= ALIKE * other;
}

function mostOf({ peak_at_most_bytes, peak_bytes }: ILastRan): number | null {
  return peak_at_most_bytes === undefined ? peak_bytes : peak_at_most_bytes;
}

/** What it needed at most when it last ran, and where. */
export function sayMeasured(
  record: ILastRan,
  trans: TranslationBundle
): string {
  return trans.__(
    'Measured when it last ran: %1 (%2, %3).',
    rangeOf(record, trans),
    nameOf(record, trans),
    formatBytes(record.capacity_bytes)
  );
}

function rangeOf(record: ILastRan, trans: TranslationBundle): string {
  const { peak_bytes: least_bytes } = record;
  return formatRange({ least_bytes, most_bytes: mostOf(record) }, trans);
}

function nameOf({ name }: ILastRan, trans: TranslationBundle): string {
  return name?.slice(0, MAX_NAME) ?? trans.__('simulated GPU');
}

/**
 * What to say where no GPU of the kernel has what the notebook needed last time;
 * `null`: nothing. Simulated GPUs say nothing of real ones.
 */
export function sayLastRan(
  record: ILastRan,
  devices: readonly IDevice[],
  trans: TranslationBundle
): string | null {
  const { capacity_bytes, name, peak_bytes } = record;
  const sizes = devices.map(device =>
    device.simulated === (name === null) ? device.capacity_bytes : null
  );
  const known = sizes.filter(size => size !== null);
  const largest = Math.max(...known);
  return known.length < devices.length ||
    known.length === 0 ||
    largest >= peak_bytes
    ? null
    : trans.__(
        'This notebook last needed %1 (%2, %3). This GPU has %4: unchanged, it will not fit.',
        rangeOf(record, trans),
        nameOf(record, trans),
        formatBytes(capacity_bytes),
        formatBytes(largest)
      );
}
