/**
 * What the badge of a cell says: a pure function of its runs and the headroom.
 */
import type { ICell, ICellMemory, ISample } from '../protocol';
import { MIB } from '../text/format';

/** Less than this is no change worth a word. */
const WORTH_BYTES = 10 * MIB;

/** How many runs the details list. */
const LISTED_RUNS = 3;

/** The last run needed more than could be had now. */
export interface IShortage {
  readonly device_index: number;
  readonly needed_bytes: number;
  readonly isExact: boolean;
  readonly headroom_bytes: number;
}

/** What there is to say of one cell. */
export interface IBadge {
  readonly kind: 'running' | 'change' | 'grows' | 'oom';
  readonly cell: ICell;
  /** The device that changed most. */
  readonly memory: ICellMemory;
  /** Whether the kernel has several devices, so that one must be named. */
  readonly hasSeveral: boolean;
  /** Changes of the last runs on this device, the newest first. */
  readonly changes: readonly number[];
}

/**
 * The badge of a cell; `null` where nothing happened that is worth one.
 *
 * @param runs - the runs of this cell, oldest first
 * @param now - of a running cell, its memory up to the newest reading
 */
export function readBadge(
  runs: readonly ICell[],
  now: readonly ICellMemory[] | null
): IBadge | null {
  const cell = runs[runs.length - 1];
  if (!cell) {
    return null;
  }
  const isRunning = cell.status === 'running';
  const devices = isRunning ? (now ?? cell.memory) : cell.memory;
  const memory = mostChanged(devices);
  if (!memory) {
    return null;
  }
  const kind = kindOf(cell);
  const isTooLittle =
    (kind === 'change' && !isWorth(memory)) ||
    (kind === 'running' && !hasChanged(memory));
  if (isTooLittle) {
    return null;
  }
  return {
    kind,
    cell,
    memory,
    hasSeveral: devices.length > 1,
    changes: changesOf(runs, memory.device_index)
  };
}

/**
 * What the last run of a cell lacks now; `null` where it would fit, as far as is known.
 */
export function readShortage(
  runs: readonly ICell[],
  sample: ISample | null
): IShortage | null {
  const cell = runs[runs.length - 1];
  if (!cell || cell.status === 'running' || cell.status === 'error') {
    return null;
  }
  // A run that failed needed what it did not get as well.
  const isWhole = cell.status === 'ok';
  const shortages = cell.memory.flatMap(memory => {
    const { device_index, needed_bytes, peak_exact } = memory;
    const device = sample?.devices.find(({ index }) => index === device_index);
    const headroom_bytes = device?.headroom_bytes ?? null;
    return needed_bytes !== null &&
      headroom_bytes !== null &&
      needed_bytes > headroom_bytes
      ? [
          {
            device_index,
            needed_bytes,
            isExact: isWhole && peak_exact,
            headroom_bytes
          }
        ]
      : [];
  });
  return shortages[0] ?? null;
}

/**
 * The memory of a running cell: what the newest reading adds to its first.
 *
 * @param highest - the highest in use so far, by device index
 */
export function memorySince(
  start: ISample,
  latest: ISample,
  highest: ReadonlyMap<number, number>
): ICellMemory[] {
  return latest.devices.map(device => {
    const before = start.devices.find(({ index }) => index === device.index);
    const begun = before?.in_use_bytes ?? 0;
    const peak = Math.max(highest.get(device.index) ?? 0, device.in_use_bytes);
    return {
      device_index: device.index,
      change_bytes: device.in_use_bytes - begun,
      peak_bytes: peak,
      peak_exact: false,
      needed_bytes: Math.max(0, peak - begun),
      alloc_retries: null,
      ooms: null
    };
  });
}

function kindOf({ growth, status }: ICell): IBadge['kind'] {
  if (status === 'running' || status === 'oom') {
    return status;
  }
  return growth ? 'grows' : 'change';
}

/** A lasting change, or a peak that the framework had never seen before. */
function isWorth(memory: ICellMemory): boolean {
  const { peak_exact, needed_bytes } = memory;
  return (
    hasChanged(memory) || (peak_exact && (needed_bytes ?? 0) >= WORTH_BYTES)
  );
}

function hasChanged({ change_bytes }: ICellMemory): boolean {
  return Math.abs(change_bytes ?? 0) >= WORTH_BYTES;
}

function mostChanged(devices: readonly ICellMemory[]): ICellMemory | null {
  const size = ({ change_bytes, needed_bytes }: ICellMemory): number =>
    Math.max(Math.abs(change_bytes ?? 0), needed_bytes ?? 0);
  return devices.reduce<ICellMemory | null>(
    (found, memory) => (found && size(found) >= size(memory) ? found : memory),
    null
  );
}

function changesOf(runs: readonly ICell[], index: number): number[] {
  return runs
    .filter(({ status }) => status !== 'running')
    .slice(-LISTED_RUNS)
    .reverse()
    .flatMap(({ memory }) => {
      const found = memory.find(each => each.device_index === index);
      const change = found?.change_bytes ?? null;
      return change === null ? [] : [change];
    });
}
